//! A `git.exe` that forwards: the git of the host does the work, and this program passes its streams on.
//!
//! Programs under wine cannot start those of the host. This one asks `git_server.py` over a socket of the loopback
//! device; `git.address` beside the program names the port and a secret word. It sends the word, then the folder, the
//! arguments and the environment as one block of texts, then frames of what it reads. It gets frames back: output,
//! errors, and last the exit status. A frame is a letter, a length of four bytes (big end first) and the content. Who
//! kills this program closes the socket, and that kills the git of the host.

use std::env;
use std::fs;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::process::exit;
use std::thread;

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
    let questions = host.try_clone()?;
    thread::spawn(move || pass_on_input(questions));
    pass_on_answers(host)
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

fn pass_on_input(mut host: TcpStream) {
    let mut input = io::stdin().lock();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = input.read(&mut buffer).unwrap_or(0);
        if send(&mut host, b'I', &buffer[..count]).is_err() || count == 0 {
            return;
        }
    }
}

fn pass_on_answers(mut host: TcpStream) -> io::Result<i32> {
    loop {
        let (kind, content) = receive(&mut host)?;
        let done = match kind {
            b'O' => pass_on(&mut io::stdout(), &content),
            b'E' => pass_on(&mut io::stderr(), &content),
            _ => return Ok(i32::from(content.first().copied().unwrap_or(128))),
        };
        if done.is_err() {
            return Ok(141); // as a git that nobody reads any more
        }
    }
}

fn pass_on(stream: &mut impl Write, content: &[u8]) -> io::Result<()> {
    stream.write_all(content)?;
    stream.flush()
}

fn send(host: &mut TcpStream, kind: u8, content: &[u8]) -> io::Result<()> {
    let mut frame = vec![kind];
    frame.extend((content.len() as u32).to_be_bytes());
    frame.extend(content);
    host.write_all(&frame)
}

fn receive(host: &mut TcpStream) -> io::Result<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    host.read_exact(&mut head)?;
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
    let mut content = vec![0; length as usize];
    host.read_exact(&mut content)?;
    Ok((head[0], content))
}
