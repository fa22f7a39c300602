//! A `git.exe` that forwards: the git of the host does the work, and this program passes its streams on.
//!
//! Programs under wine cannot start those of the host. This one asks `git_server.py` over a socket of the loopback
//! device; `git.address` beside the program names the port and a secret word. It sends the word, then the folder, the
//! arguments and the environment as one block of texts, then frames of what it reads. It gets frames back: output,
//! errors, and last the exit status. A frame is a letter, a length of four bytes (big end first) and the content. Who
//! kills this program closes the socket, and that kills the git of the host.
//!
//! It has one thread, which looks for input and answers in turn: with two, once in some thousand calls wine 8 lost what
//! one of them sent.

use std::env;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::windows::io::AsRawHandle;
use std::process::exit;
use std::ptr::null_mut;
use std::thread;
use std::time::Duration;

type Handle = *mut std::ffi::c_void;

fn main() {
    match forward() {
        Ok(status) => exit(status),
        Err(error) => {
            eprintln!("git.exe: cannot ask the git of the host: {error}");
            exit(128)
        }
    }
}

fn forward() -> io::Result<i32> {
    let address = fs::read_to_string(env::current_exe()?.with_file_name("git.address"))?;
    let (port, word) = address.trim().split_once(' ').ok_or(io::ErrorKind::InvalidData)?;
    let mut host = TcpStream::connect(("127.0.0.1", port.parse().unwrap_or(0)))?;
    host.set_nodelay(true)?;
    host.write_all(word.as_bytes())?;
    send(&mut host, b'A', &request()?)?;
    host.set_nonblocking(true)?;
    converse(host)
}

/// The folder, the arguments and the variables, each ended by a zero, and each list by an empty text.
fn request() -> io::Result<Vec<u8>> {
    let mut texts = vec![env::current_dir()?.to_string_lossy().into_owned()];
    // A letter before each keeps an empty argument from being the end of the list.
    texts.extend(env::args_os().skip(1).map(|argument| format!("={}", argument.to_string_lossy())));
    texts.push(String::new());
    for (name, value) in env::vars_os() {
        texts.push(format!("{}={}", name.to_string_lossy(), value.to_string_lossy()));
    }
    texts.push(String::new());
    Ok(texts.join("\0").into_bytes())
}

#[link(name = "kernel32")]
extern "system" {
    fn PeekNamedPipe(pipe: Handle, to: Handle, size: u32, read: Handle, there: *mut u32, left: Handle) -> i32;
}

fn converse(mut host: TcpStream) -> io::Result<i32> {
    let mut has_input = true;
    let mut buffer = vec![0; 1 << 16];
    let mut answers = Vec::new();
    loop {
        let mut is_quiet = true;
        if has_input && is_readable() {
            let count = io::stdin().read(&mut buffer).unwrap_or(0);
            has_input = count > 0;
            is_quiet = false;
            send(&mut host, b'I', &buffer[..count])?;
        }
        match host.read(&mut buffer) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => {
                is_quiet = false;
                answers.extend(&buffer[..count]);
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
        while let Some((kind, content)) = next_frame(&mut answers) {
            let done = match kind {
                b'O' => pass_on(&mut io::stdout(), &content),
                b'E' => pass_on(&mut io::stderr(), &content),
                _ => return Ok(i32::from(content.first().copied().unwrap_or(128))),
            };
            if done.is_err() {
                return Ok(141); // as a git that nobody reads any more
            }
        }
        if is_quiet {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Whether a read of the input returns at once: what is no pipe, or an ended one, does.
fn is_readable() -> bool {
    let (input, mut there) = (io::stdin().as_raw_handle() as Handle, 0);
    let is_pipe = unsafe { PeekNamedPipe(input, null_mut(), 0, null_mut(), &mut there, null_mut()) } != 0;
    !is_pipe || there > 0
}

fn next_frame(answers: &mut Vec<u8>) -> Option<(u8, Vec<u8>)> {
    let length = u32::from_be_bytes(answers.get(1..5)?.try_into().ok()?) as usize;
    let content = answers.get(5..5 + length)?.to_vec();
    let kind = answers[0];
    answers.drain(..5 + length);
    Some((kind, content))
}

fn pass_on(stream: &mut impl Write, content: &[u8]) -> io::Result<()> {
    stream.write_all(content)?;
    stream.flush()
}

fn send(host: &mut TcpStream, kind: u8, content: &[u8]) -> io::Result<()> {
    let mut frame = vec![kind];
    frame.extend((content.len() as u32).to_be_bytes());
    frame.extend(content);
    let mut sent = 0;
    while sent < frame.len() {
        match host.write(&frame[sent..]) {
            Ok(count) => sent += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => thread::sleep(Duration::from_millis(1)),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
