"""Queries, style sheets, markup and configuration; hardware descriptions and assembly."""

from __future__ import annotations

from winnow_ci.languages.families.careful_reading import QuoteForm, quotes, simple_quotes
from winnow_ci.languages.families.syntax import (
    ALL_WORDS,
    ARITHMETIC,
    BACKTICKED_NAME,
    BLOCK_COMMENT,
    LanguageFamily,
    LexemeRule,
    SpanRule,
    line_comment,
    line_string,
    word_set,
    words,
)

_TEXT_IN_DOLLARS = rb"\$(?:[A-Za-z_]\w{0,60})?\$(?=[^$*\n\0]{0,999}(?:/\*[^$*\n\0]{0,999}\$|\*/))[^$\n\0]*\$\w*\$"

SQL = LanguageFamily(
    name="sql",
    revision=2,
    languages=("sql", "mysql", "tsql", "googlesql"),
    line_comment=b"--",
    # MySQL and MariaDB execute some comments.
    spans=(BLOCK_COMMENT._replace(openers=(rb"/\*(?!M?!)",)),),
    operators=words(b"<= >= <> != || := :: -> ->> => == << >> += -= *= /= @> <@ && ~* !~ !~* .."),
    rules=(
        # MySQL's '#' only before a blank: elsewhere it is part of a name or an operator.
        line_comment(rb"--|#(?![^\x01-\x20\0])"),
        LexemeRule("mark", rb"/\*M?!(?:[0-9]{5,6})?|\*/", starts=rb"/\*M?!|\*/"),
        # A text on one line in which a comment does not end; elsewhere there is code.
        LexemeRule("string", _TEXT_IN_DOLLARS, starts=rb"\$\w*\$[^$]"),
        # Only in MySQL do backslashes escape; but others hardly write one before a quote, except here.
        LexemeRule("string", rb"'\\'(?=[\x01-\x20);,\0])", starts=rb"'\\'"),
        line_string(b"'", escape=rb"\\"),
        # Between dollar quotes there is nearly always code, which is read as code.
        LexemeRule("word", rb"\$(?:[A-Za-z_]\w{0,60})?\$"),
        BACKTICKED_NAME,
        LexemeRule("name", rb"[@:$#]{1,2}[A-Za-z_]\w*|\$[0-9]+", starts=rb"[@:$#]{1,2}[A-Za-z_]|\$[0-9]"),
        line_string(b'"', prefix=rb"[eEnNbBxX]"),
    ),
    keywords=word_set(
        b"action add after all alter analyze and any array as asc authorization auto_increment autoincrement",
        b"before begin between bigint binary bit blob body bool boolean both breadth by cascade case cast change",
        b"char character charset check close cluster coalesce collate column comment commit concurrently conflict",
        b"constraint continue create cross cube current current_date current_timestamp cursor cycle database date",
        b"datetime deallocate decimal declare default deferrable deferred definer delete delimiter desc distinct",
        b"do double drop each else elseif elsif end engine enum escape except exception exec execute exists exit",
        b"explain extension false fetch filter first float following for foreach foreign found from full function",
        b"go goto grant group grouping handler having identity if ignore ilike immediate in index inner inout",
        b"insert instead int integer intersect interval into is isolation join json jsonb key language last",
        b"lateral leading leave left level like limit local lock longtext loop match materialized mediumint",
        b"mediumtext merge minvalue maxvalue modify natural next no nocount not nothing notnull null nulls number",
        b"numeric nvarchar of off offset on only open option or order out outer over owner package partition",
        b"perform plpgsql preceding precision prepare primary print privileges procedure public query raise range",
        b"read real recursive references release rename replace restart restrict return returning returns revoke",
        b"right role rollback row rowcount rows savepoint schema security select sequence serial session set setof",
        b"share show similar smallint some start strict sysname table tables tablespace temp temporary text then",
        b"time timestamp timestamptz tinyint to trailing transaction trigger true truncate type unbounded union",
        b"unique unlock unsigned until update usage use user using uuid values varbinary varchar varchar2 varying",
        b"view virtual when where while window with within without work write zone",
    ),
    quotes=b"",
    any_case=ALL_WORDS,
)

_NAME_END = rb"[\w\x80-\xff-]*"
_NAME = rb"[A-Za-z_\x80-\xff]" + _NAME_END

CSS = LanguageFamily(
    name="css",
    languages=("css", "scss", "less"),
    line_comment=b"//",
    spans=(BLOCK_COMMENT,),
    operators=words(b":: == != <= >= ~= |= ^= $= *= #{ @{ && ||"),
    rules=(
        # An address without quotes is text: //example.org is not a comment.
        LexemeRule("string", rb"[uU][rR][lL]\([^\"'()\n\0]*"),
        LexemeRule("name", rb"[@$]%b|-{1,2}%b" % (_NAME, _NAME)),
        LexemeRule("number", rb"#[0-9a-fA-F]{3,8}(?![\w-])"),
        LexemeRule("number", rb"[0-9]+(?:\.[0-9]+)?\w*|\.[0-9]+\w*"),
    ),
    # Not: names of elements, which selectors use like names of classes.
    keywords=word_set(
        b"@apply @charset @content @counter-style @debug @each @else @error @extend @font-face @for @forward",
        b"@function @if @import @include @keyframes @layer @media @mixin @namespace @page @plugin @property",
        b"@return @supports @use @warn @while @container @-webkit-keyframes @-moz-keyframes align-content",
        b"align-items align-self all animation animation-delay animation-duration animation-name appearance",
        b"backface-visibility background background-attachment background-clip background-color background-image",
        b"background-position background-repeat background-size border border-bottom border-bottom-color",
        b"border-bottom-left-radius border-bottom-right-radius border-bottom-width border-collapse border-color",
        b"border-image border-left border-left-color border-left-width border-radius border-right",
        b"border-right-color border-right-width border-spacing border-style border-top border-top-color",
        b"border-top-left-radius border-top-right-radius border-top-width border-width bottom box-shadow",
        b"box-sizing caption-side clear clip clip-path color column-count column-gap content cursor direction",
        b"display fill filter flex flex-basis flex-direction flex-flow flex-grow flex-shrink flex-wrap float font",
        b"font-family font-size font-style font-variant font-weight gap grid grid-area grid-column grid-gap",
        b"grid-row grid-template-areas grid-template-columns grid-template-rows height hyphens inset isolation",
        b"justify-content justify-items justify-self left letter-spacing line-height list-style list-style-type",
        b"margin margin-bottom margin-left margin-right margin-top mask max-height max-width min-height min-width",
        b"mix-blend-mode object-fit object-position opacity order outline outline-color outline-offset",
        b"outline-style outline-width overflow overflow-wrap overflow-x overflow-y padding padding-bottom",
        b"padding-left padding-right padding-top page-break-after page-break-before page-break-inside perspective",
        b"pointer-events position quotes resize right row-gap scroll-behavior src stroke stroke-width tab-size",
        b"table-layout text-align text-decoration text-indent text-overflow text-rendering text-shadow",
        b"text-transform top touch-action transform transform-origin transition transition-delay",
        b"transition-duration transition-property unicode-bidi user-select vertical-align visibility white-space",
        b"width will-change word-break word-spacing word-wrap z-index zoom -webkit-appearance -webkit-box-shadow",
        b"-webkit-box-sizing -webkit-transform -webkit-transition -webkit-user-select -moz-box-sizing",
        b"-moz-appearance -moz-user-select -ms-user-select absolute auto baseline block bold both center collapse",
        b"column dashed default dotted ellipsis fixed flex-end flex-start hidden important inherit initial inline",
        b"inline-block inline-flex italic none normal nowrap pointer relative repeat revert row scroll solid",
        b"space-around space-between static sticky stretch transparent underline unset uppercase visible wrap and",
        b"attr calc from hsl hsla in linear-gradient max min not only or rgb rgba rotate scale to translate var",
    ),
    name_end=_NAME_END,
    care=quotes(*simple_quotes(b'"', b"'", code=rb"#\{")),
)

TERRAFORM = LanguageFamily(
    name="terraform",
    languages=("terraform",),
    line_comment=b"#",
    spans=(
        BLOCK_COMMENT,
        SpanRule(
            "string",
            b"<<",
            (rb"<<-?([A-Za-z_\x80-\xff][\w\x80-\xff-]*)(?=\n)",),
            closer=rb"\n[ \t]*\1(?=[ \t]*[\n\0])",
        ),
    ),
    operators=words(b"== != <= >= && || => ... ${ %{"),
    rules=(line_comment(rb"#|//"), LexemeRule("number", rb"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?\w*")),
    keywords=word_set(
        b"backend connection content data depends_on dynamic else endfor endif false for for_each if import in",
        b"lifecycle locals module moved null output provider providers provisioner required_providers",
        b"required_version resource source terraform true variable version",
    ),
    # Quotes inside "${...}" end the string; it begins again after them.
    quotes=b'"',
    name_end=_NAME_END,
    care=quotes(QuoteForm(rb'"', b'"', escape=rb"\\|[$%](?=[$%]\{)", code=rb"[$%]\{")),
)

PROTOBUF = LanguageFamily(
    name="protobuf",
    languages=("protobuf",),
    line_comment=b"//",
    spans=(BLOCK_COMMENT,),
    keywords=word_set(
        b"bool bytes double edition enum extend extensions false fixed32 fixed64 float group import inf int32",
        b"int64 map max message nan oneof option optional package public repeated required reserved returns rpc",
        b"service sfixed32 sfixed64 sint32 sint64 stream string syntax to true uint32 uint64 weak",
    ),
)

# ``markup_tokenizer`` cuts documents into this and the families of scripts and styles.
HTML = LanguageFamily(
    name="markup",
    revision=2,
    languages=("html", "vue"),
    line_comment=b"",
    spans=(
        SpanRule("comment", b"<!--", (rb"<!--(?!-?>)",), closer=rb"--!?>"),
        # An attribute's value: elsewhere a quotation mark is punctuation, and an apostrophe opens nothing.
        SpanRule("string", b'="', (rb'"(?<![^=]")',), closer=b'"'),
        SpanRule("string", b"='", (rb"'(?<![^=]')",), closer=b"'"),
    ),
    operators=words(b"</ /> <! && || == != === !== => <= >= {{ }} {# {/ {: {@"),
    # Elements, attributes and text are all words: there is nothing that a copier would rename.
    rules=(
        # A comment that ends at once (HTML, 13.2.6.1).
        LexemeRule("mark", rb"<!---?>"),
        LexemeRule("word", rb"[A-Za-z_\x80-\xff][\w\x80-\xff-]*"),
        LexemeRule("number", rb"[0-9]\w*"),
        LexemeRule("word", rb"[\"']", starts=rb"[\"']\Z"),
    ),
    keywords=frozenset(),
    quotes=b"",
    any_case=ALL_WORDS,
)

VERILOG = LanguageFamily(
    name="verilog",
    revision=2,
    languages=("verilog", "systemverilog"),
    line_comment=b"//",
    spans=(BLOCK_COMMENT,),
    operators=ARITHMETIC
    + words(b"&& || ++ -- -> ->> <-> => *> === !== ==? !=? <<< >>> <<<= >>>= ** ~& ~| ~^ ^~ +: -: :: := :/ ## #0")
    + words(b"|-> |=> .* '{ @* @@ #- #= &&&"),
    rules=(
        # 4'b1010 is one number, with or without spaces after the base; '0 is another.
        LexemeRule("number", rb"[0-9][0-9_]*'[sS]?[bBoOdDhH][ \t]*[\w?]*"),
        LexemeRule("number", rb"'(?:[sS]?[bBoOdDhH][ \t]*[0-9a-fA-FxXzZ_?]+(?!\w|')|[01xXzZ](?![\w']))"),
        LexemeRule("name", rb"`\w+"),
        # An escaped name, which white space ends.
        LexemeRule("name", rb"\\[^\x01-\x20\0]+", starts=rb"\\[^\x01-\x20]"),
    ),
    keywords=word_set(
        b"alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bit",
        b"break buf bufif0 bufif1 byte case casex casez cell class clocking const constraint continue cover",
        b"covergroup coverpoint cross deassign default defparam disable dist do edge else end endcase endclass",
        b"endclocking endfunction endgenerate endgroup endinterface endmodule endpackage endprimitive endprogram",
        b"endproperty endsequence endspecify endtable endtask enum event export extends extern final for force",
        b"foreach forever fork function generate genvar if iff ifnone import initial inout input inside int",
        b"integer interface intersect join join_any join_none local localparam logic longint macromodule modport",
        b"module nand negedge new nor not notif0 notif1 null or output package packed parameter posedge primitive",
        b"program property protected pure rand randc randcase real realtime ref reg release repeat return sequence",
        b"shortint signed solve specify specparam static string struct super supply0 supply1 table tagged task",
        b"this throughout time timeprecision timeunit tri tri0 tri1 type typedef union unique unsigned var virtual",
        b"void wait wand while wire with within wor xnor xor `define `else `elsif `endif `ifdef `ifndef `include",
        b"`timescale `undef",
    ),
    quotes=b'"',
    letters=b"$",
)

VHDL = LanguageFamily(
    name="vhdl",
    revision=2,
    languages=("vhdl",),
    line_comment=b"--",
    spans=(BLOCK_COMMENT,),
    operators=words(b"=> ** := /= >= <= <> ?? << >> ?= ?/= ?< ?<= ?> ?>="),
    rules=(
        # After a name or a bracket a single quote begins an attribute: clk'event.
        LexemeRule("string", rb"(?<![\w)\]\x80-\xff])'[^\n\0]'", starts=rb"'[\s\S]'"),
        LexemeRule("number", rb"[0-9][0-9_]*#[\w.]*#?(?:[eE][+-]?[0-9]+)?"),
        LexemeRule("name", rb"\\[^\\\n\0]*\\?", starts=rb"\\[^\\]"),
        line_string(b'"', prefix=rb"[bBoOxXuUsSdD]{1,2}"),
    ),
    keywords=word_set(
        b"abs access after alias all and architecture array assert attribute begin block body buffer bus case",
        b"component configuration constant context disconnect downto else elsif end entity exit file for function",
        b"generate generic group guarded if impure in inertial inout is label library linkage literal loop map mod",
        b"nand new next nor not null of on open or others out package port postponed procedure process protected",
        b"pure range record register reject rem report return rol ror select severity shared signal sla sll sra",
        b"srl subtype then to transport type unaffected units until use variable wait when while with xnor xor",
    ),
    quotes=b"",
    any_case=ALL_WORDS,
)

_MNEMONICS = word_set(
    # x86
    b"adc add addpd addps addsd addss and andpd andps bsf bsr bswap bt btc btr bts call cdq cdqe cld cli cmp",
    b"cmpxchg cpuid cqo cvtsi2sd cvttsd2si cwde dec div divsd divss enter fadd fild fld fmul fstp hlt idiv imul in",
    b"inc int iret ja jae jb jbe jc je jg jge jl jle jmp jna jnb jnc jne jno jns jnz jo jp js jz lea leave lock",
    b"lodsb loop mfence mov movabs movapd movaps movb movd movdqa movdqu movl movq movs movsb movsd movss movsx",
    b"movsxd movups movw movzbl movzx mul mulpd mulps mulsd mulss neg nop not or out paddd paddq pand pcmpeqb",
    b"pmovmskb pop popa popf por pshufb pshufd psubd punpcklbw push pusha pushf pxor rdtsc rep repe repne ret rol",
    b"ror sal sar sbb scasb sete setne shl shld shr shrd sqrtsd sti stosb stosd stosq sub subsd subss syscall",
    b"sysenter test ucomisd xchg xor xorpd xorps addl addq andl andq callq cmpb cmpl cmpq decl incl leal leaq orl",
    b"pushq popq pushl popl retq shll shrl subl subq testb testl testq xorl xorq vmovdqu vmovdqa vpxor vpaddd",
    b"vpshufb vaddps vmulps vzeroupper",
    # ARM, MIPS, RISC-V
    b"adr adrp addi addiu addu adds ands asr auipc b bic bl blr blx bne bge blt beq bgt ble bx br cbz cbnz ccmp",
    b"csel cset eor ecall j jal jalr jr ldm ldmia ldp ldr ldrb ldrh ld lw lb lbu lh lhu lui li la lsl lsr madd",
    b"mfhi mflo mla move mrs msr mvn orr rsb sw sb sh sd slt sltu smull stm stmdb stp str strb strh subs svc swi",
    b"tst teq ubfx udiv umull",
    # directives
    b".align .ascii .asciz .balign .bss .byte .comm .data .else .elseif .endif .endm .endr .equ .error .extern",
    b".fill .func .global .globl .hidden .hword .if .ifdef .ifndef .include .int .irp .lcomm .local .long .macro",
    b".octa .org .p2align .previous .quad .rept .section .set .short .size .skip .space .string .text .type .weak",
    b".word .zero .cfi_startproc .cfi_endproc .cfi_def_cfa_offset .cfi_offset align bits byte db dd default dq dt",
    b"dw dword equ extern extrn global incbin istruc iend org ptr qword rel resb resd resq resw section segment",
    b"struc endstruc times use16 use32 use64 word %assign %define %elif %else %endif %endmacro %error %if %ifdef",
    b"%ifndef %ifidn %include %macro %rep %endrep %undef %xdefine define elif else endif ifdef ifndef include",
    b"undef if",
)

NASM = LanguageFamily(
    name="assembly",
    languages=("nasm",),
    line_comment=b";",
    operators=words(b"<< >> == != <= >= <> && || ^^ $$ %% // :="),
    rules=(LexemeRule("name", rb"[%.][A-Za-z_]\w*"), LexemeRule("number", rb"[0-9][0-9a-fA-F_]*[hH]\b")),
    keywords=_MNEMONICS,
    quotes=b"\"'`",
    letters=b"@?$",
    name_end=rb"[\w@?$.\x80-\xff]*",
    any_case=ALL_WORDS,
)

_DIRECTIVE = rb"[ \t]{1,20}(?:define|elif|endif|ifdef|ifndef|undef)\b"

GAS = LanguageFamily(
    name="assembly",
    languages=("gas",),
    line_comment=b"//",
    spans=(BLOCK_COMMENT,),
    operators=words(b"<< >> == != <= >= <> && || ##"),
    rules=(
        # What opens a comment depends on the processor: '#' marks a number on ARM, '@' a relocation on x86.
        line_comment(
            rb"//|#(?!%b)(?:(?=/\*)|(?![^\x01-\x20#*=\0-]|-(?!-)))|@(?:(?=/\*)|(?![^\x01-\x20@\0]))" % _DIRECTIVE
        ),
        LexemeRule("string", rb"'\\?[^\x01-\x20\0]'?", starts=rb"'"),
        LexemeRule("name", rb"\.[A-Za-z_][\w.$]*"),
        LexemeRule("number", rb"[0-9][0-9_]*[bfBF](?!\w)"),
    ),
    keywords=_MNEMONICS,
    quotes=b'"',
    letters=b"$",
    name_end=rb"[\w$.\x80-\xff]*",
    any_case=ALL_WORDS,
)
