"""Declarative languages: SQL, style sheets, Terraform, Protobuf."""

from __future__ import annotations

from winnow_ci.languages.families.quotation import SCSS_QUOTES, TERRAFORM_QUOTES
from winnow_ci.languages.families.syntax import (
    ALL_WORDS,
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
    revision=1,
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
    care=SCSS_QUOTES.care(),
)

TERRAFORM = LanguageFamily(
    name="terraform",
    revision=1,
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
    care=TERRAFORM_QUOTES.care(),
)

PROTOBUF = LanguageFamily(
    name="protobuf",
    revision=1,
    languages=("protobuf",),
    line_comment=b"//",
    spans=(BLOCK_COMMENT,),
    operators=(),
    keywords=word_set(
        b"bool bytes double edition enum extend extensions false fixed32 fixed64 float group import inf int32",
        b"int64 map max message nan oneof option optional package public repeated required reserved returns rpc",
        b"service sfixed32 sfixed64 sint32 sint64 stream string syntax to true uint32 uint64 weak",
    ),
)
