"""Hardware description and assembly languages."""

from __future__ import annotations

from winnow_ci.languages.families.syntax import (
    ALL_WORDS,
    ARITHMETIC,
    BLOCK_COMMENT,
    LanguageFamily,
    LexemeRule,
    line_comment,
    line_string,
    word_set,
    words,
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
    revision=1,
    languages=("nasm",),
    line_comment=b";",
    spans=(),
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
    revision=1,
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
