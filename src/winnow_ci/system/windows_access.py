"""Who may read a file on Windows: its owner, and its access list in the language of security descriptors (SDDL)."""

from __future__ import annotations

import _winapi
import ctypes
import msvcrt
import re
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

assert sys.platform == "win32"

# From the headers of Windows: winnt.h, accctrl.h.
_FILE_OBJECT, _OWNER, _ACCESS_LIST, _TOKEN_USER = 1, 0x1, 0x4, 1
_WELL_KNOWN_SYSTEM, _WELL_KNOWN_ADMINISTRATORS = 22, 26
_QUERY_TOKEN = 0x8
# What an entry that allows something to everybody, or to all users, looks like in it.
_OF_EVERYBODY = r"\(A;[^)]*;(?:WD|AN|AU|BU|BG|IU|NU)\)"
_ALONE = "D:P(A;;FA;;;{})"  # access for one identifier, and nothing from the folder around

_kernel = ctypes.WinDLL("kernel32", use_last_error=True)
_security = ctypes.WinDLL("advapi32", use_last_error=True)


def checked(result: int) -> int:
    """Return the result of a function of Windows; raise ``OSError`` if it says that it failed."""
    if not result:
        raise ctypes.WinError(ctypes.get_last_error())
    return result


@contextmanager
def security_of_new(*, private: bool) -> Iterator[int]:
    """Yield the address of security attributes, which let in this user alone; 0 for the usual ones."""
    if not private:
        yield 0
        return
    descriptor = ctypes.c_void_p()
    convert = _security.ConvertStringSecurityDescriptorToSecurityDescriptorW
    checked(convert(ctypes.c_wchar_p(_ALONE.format(_this_user())), 1, ctypes.byref(descriptor), None))
    attributes = ctypes.create_string_buffer(struct.pack("QQQ", 24, descriptor.value or 0, 0))
    try:
        yield ctypes.addressof(attributes)
    finally:
        _kernel.LocalFree(descriptor)


def _this_user() -> str:
    """The identifier of this user, as access lists name it."""
    text = ctypes.c_wchar_p()
    checked(_security.ConvertSidToStringSidW(ctypes.c_void_p.from_buffer(_token_user()), ctypes.byref(text)))
    try:
        return str(text.value)
    finally:
        _kernel.LocalFree(text)


def belongs_to_us(path: Path) -> bool:
    """Return whether a file belongs to this user, to the administrators or to the system."""
    owner, descriptor = ctypes.c_void_p(), ctypes.c_void_p()
    failed = _security.GetNamedSecurityInfoW(
        str(path), _FILE_OBJECT, _OWNER, ctypes.byref(owner), None, None, None, ctypes.byref(descriptor)
    )
    if failed:
        raise ctypes.WinError(failed)
    try:
        known = (_WELL_KNOWN_SYSTEM, _WELL_KNOWN_ADMINISTRATORS)
        is_known = any(_security.IsWellKnownSid(owner, one) for one in known)
        return is_known or bool(_security.EqualSid(owner, ctypes.c_void_p.from_buffer(_token_user())))
    finally:
        _kernel.LocalFree(descriptor)


def _token_user() -> ctypes.Array[ctypes.c_char]:
    """Return TOKEN_USER of this process, which begins with the address of the user's identifier."""
    token, size, found = ctypes.c_void_p(), ctypes.c_ulong(), ctypes.create_string_buffer(256)
    this = ctypes.c_void_p(_winapi.GetCurrentProcess())
    checked(_security.OpenProcessToken(this, _QUERY_TOKEN, ctypes.byref(token)))
    try:
        checked(_security.GetTokenInformation(token, _TOKEN_USER, found, len(found), ctypes.byref(size)))
    finally:
        _kernel.CloseHandle(token)
    return found


def others_may(descriptor: int, *, group_of_root: bool) -> bool:  # noqa: ARG001 - for other systems
    """Return whether the access list of a file names a group that every user is in."""
    found, text = ctypes.c_void_p(), ctypes.c_wchar_p()
    handle = ctypes.c_void_p(msvcrt.get_osfhandle(descriptor))
    failed = _security.GetSecurityInfo(handle, _FILE_OBJECT, _ACCESS_LIST, None, None, None, None, ctypes.byref(found))
    if failed:
        raise ctypes.WinError(failed)
    try:
        convert = _security.ConvertSecurityDescriptorToStringSecurityDescriptorW
        checked(convert(found, 1, _ACCESS_LIST, ctypes.byref(text), None))
        return re.search(_OF_EVERYBODY, text.value or "") is not None
    finally:
        _kernel.LocalFree(found)
