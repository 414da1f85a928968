"""Messages for invalid values and how to fix them; the only source for all validation.

Pydantic validates requests, settings and manifests. Its messages are for programmers ("List should
have at least 1 item after validation, not 0"), so this module maps its error types to sentences
that continue the name of the field: "cells must have at least 1 item."
"""

from collections.abc import Mapping

# The names of a union's variants begin with it. Messages about a field leave them out.
UNION_TAG = "<"
# Of one request. More are counted, but not explained.
MOST_FAULTS = 100
TOO_MANY_FAULTS = "too_many_faults"

_TEXT = "must be text; put it in quotes."
_NUMBER = "must be a number, such as 2.5."
_WHOLE = "must be a whole number, such as 10."
_BOOLEAN = "must be true or false."
_LIST = "must be a list, such as [ … ]."
_OBJECT = "must be an object with named fields."
_DATE = "must be a date, such as 2026-11-22."
_TIME = "must be a time of day, such as 14:30."
_DATETIME = "must be a date and time, such as 2026-11-22T14:30:00Z."
_DURATION = "must be a duration, such as PT30S."
_UUID = "must be an id, such as 018f3c2e-7d4b-7c11-9a53-2f6f0d1e8b77."
_URL = "must be a URL, such as https://example.org/hook."
_BINARY = "must be text in UTF-8."
_VALUE = "has a value that is not allowed; see the API's description at /api/docs."

# Sentences by Pydantic's error type; braces are replaced by the context of the error.
SENTENCES: Mapping[str, str] = {
    "missing": "is required; add it.",
    "extra_forbidden": "is not a known field; remove it or correct its spelling.",
    TOO_MANY_FAULTS: "has {count:,} faults, too many to list; send a part of it to see them.",
    "invalid_key": "has a key that is not text; put it in quotes.",
    "greater_than": "must be greater than {gt}.",
    "greater_than_equal": "must be {ge} or more.",
    "less_than": "must be less than {lt}.",
    "less_than_equal": "must be {le} or less.",
    "multiple_of": "must be a multiple of {multiple_of}.",
    "finite_number": "must be a finite number: not NaN and not infinite.",
    "too_short": "must have at least {min_length} items, but has {actual_length}; add more.",
    "too_long": "may have at most {max_length} items, but has {actual_length}; remove some.",
    "string_too_short": "must have at least {min_length} characters; make it longer.",
    "string_too_long": "may have at most {max_length} characters; shorten it.",
    "string_pattern_mismatch": "must match the pattern {pattern}; correct it.",
    "string_type": _TEXT,
    "string_sub_type": _TEXT,
    "string_unicode": "has characters that are not valid Unicode; remove them.",
    "string_not_ascii": "may have ASCII characters only; remove the others.",
    "enum": "must be one of {expected}.",
    "literal_error": "must be one of {expected}.",
    "union_tag_invalid": "has {discriminator} = {tag!r}; it must be one of {expected_tags}.",
    "union_tag_not_found": "needs the field {discriminator}; add it.",
    "bool_type": _BOOLEAN,
    "bool_parsing": _BOOLEAN,
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": "is too large; use a smaller number.",
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "decimal_type": _NUMBER,
    "decimal_parsing": _NUMBER,
    "decimal_max_digits": "may have at most {max_digits} digits; round it.",
    "decimal_max_places": "may have at most {decimal_places} decimal places; round it.",
    "decimal_whole_digits": "may have at most {whole_digits} digits before the decimal point.",
    "fraction_type": _NUMBER,
    "fraction_parsing": _NUMBER,
    "complex_type": _NUMBER,
    "complex_str_parsing": _NUMBER,
    "list_type": _LIST,
    "tuple_type": _LIST,
    "set_type": _LIST,
    "frozen_set_type": _LIST,
    "deque_type": _LIST,
    "iterable_type": _LIST,
    "iteration_error": _LIST,
    "set_item_not_hashable": "has an item that is a list or an object; use plain values.",
    "dict_type": _OBJECT,
    "frozen_dict_type": _OBJECT,
    "ordered_dict_type": _OBJECT,
    "counter_type": _OBJECT,
    "mapping_type": _OBJECT,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "dataclass_type": _OBJECT,
    "dataclass_exact_type": _OBJECT,
    "named_tuple_type": _OBJECT,
    "none_required": "must be null or left out.",
    "date_type": _DATE,
    "date_parsing": _DATE,
    "date_from_datetime_parsing": _DATE,
    "date_from_datetime_inexact": "must be a date without a time, such as 2026-11-22.",
    "date_past": "must be in the past.",
    "date_future": "must be in the future.",
    "time_type": _TIME,
    "time_parsing": _TIME,
    "datetime_type": _DATETIME,
    "datetime_parsing": _DATETIME,
    "datetime_object_invalid": _DATETIME,
    "datetime_from_date_parsing": _DATETIME,
    "datetime_past": "must be in the past.",
    "datetime_future": "must be in the future.",
    "timezone_naive": "must have no time zone; remove it.",
    "timezone_aware": "must have a time zone; add Z for UTC.",
    "timezone_offset": "has another UTC offset than it must have; correct it.",
    "time_delta_type": _DURATION,
    "time_delta_parsing": _DURATION,
    "uuid_type": _UUID,
    "uuid_parsing": _UUID,
    "uuid_version": _UUID,
    "url_type": _URL,
    "url_parsing": _URL,
    "url_syntax_violation": _URL,
    "url_too_long": "may have at most {max_length} characters; shorten it.",
    "url_scheme": "must begin with one of {expected_schemes}.",
    "bytes_type": _BINARY,
    "bytes_too_short": "must have at least {min_length} bytes.",
    "bytes_too_long": "may have at most {max_length} bytes; shorten it.",
    "bytes_invalid_encoding": _BINARY,
    "json_type": "must be JSON in text.",
    "recursion_loop": "contains itself; remove the cycle.",
    "recursion_depth_exceeded": "is nested too deep; use fewer levels.",
}


def explain_fault(fault: Mapping[str, object]) -> str:
    """Return the sentence for one of Pydantic's errors, without the name of the field."""
    kind, context = str(fault["type"]), fault.get("ctx")
    facts: Mapping[str, object] = context if isinstance(context, Mapping) else {}
    if kind in {"value_error", "assertion_error"}:
        # Raised by one of Tacho's own validators.
        return f"{str(facts.get('error', '')).rstrip('.') or 'is not valid'}."
    sentence = SENTENCES.get(kind, _VALUE)
    if facts.get("min_length") == 1 and kind == "too_short":
        return "must have at least 1 item; add one."
    if facts.get("min_length") == 1 and kind == "string_too_short":
        return "must not be empty; fill it in."
    if facts.get("pattern") == NO_CONTROL_CHARACTERS:
        return "must not have line breaks or other control characters; remove them."
    if facts.get("pattern") == NO_CONTROL_CHARACTERS_BUT_BREAKS:
        return "must not have control characters; remove them."
    return sentence.format_map(facts)


# Patterns of free text. PostgreSQL cannot store NUL, and SVG cannot contain control characters.
NO_CONTROL_CHARACTERS = r"^[^\x00-\x1f\x7f-\x9f]*$"
NO_CONTROL_CHARACTERS_BUT_BREAKS = r"^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$"
