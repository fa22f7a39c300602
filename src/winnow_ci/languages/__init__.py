"""Languages: path → language, and content → tokens. ``front_ends`` says how contents are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from winnow_ci.languages.code_in_text import *
    from winnow_ci.languages.front_ends import *
    from winnow_ci.languages.language_detection import *
    from winnow_ci.languages.normalisation import *
    from winnow_ci.languages.phrase_extraction import *
    from winnow_ci.languages.statements import *
    from winnow_ci.languages.text_lines import *
    from winnow_ci.languages.texts_of_tokens import *
    from winnow_ci.languages.tokens import *
    from winnow_ci.languages.words import *
else:
    __getattr__ = on_demand(
        __name__,
        front_ends="""
            FrontEnd TokenizedContent endings front_end_named front_end_of front_ends_of language_at first_reading
            readings revisions tokenize
        """,
        language_detection="""
            BINARY_DATA DATA DATA_SIZES LARGEST_FILE LICENCE_TEXT UNKNOWN_LANGUAGE extensions is_archive_name
            is_binary_data is_data is_drawing is_license_page is_license_text is_whole_data language_by_name
            language_names language_of may_be_whole_data may_have_language resolve_language skip_by_path_and_size
        """,
        normalisation="BINARY_CONTENT line_edges normalise",
        code_in_text="QuotedCode may_quote quoted_code",
        phrase_extraction="phrase_texts",
        statements="around_variables idle_statements in_imports",
        text_lines="comment_marks comments",
        texts_of_tokens="NumberValue TextNumbers names_in variables",
        tokens="TOKEN_LIMIT Untokenizable",
        words="FALLBACK shows_license",
    )
