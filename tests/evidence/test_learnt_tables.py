"""The tables of evidence were learnt from tokens; a front end that reads code otherwise makes them worthless.

If one of these fails after a change of a front end, learn the tables anew: python tools/tables
"""

from __future__ import annotations

import numpy as np
import pytest

from winnow_ci.evidence.tables import RARE_GRAM, RAREST, gram_bits, text_bits
from winnow_ci.evidence.weights import (
    LEARNT,
    common_grams,
    common_kgrams,
    distinctive_phrases,
    grams,
    literal_bits,
    token_bits,
)
from winnow_ci.languages import front_end_of, tokenize
from winnow_ci.model import WORD

EVERYDAY = {
    "c": """
static int compare(const void *a, const void *b)
{
    const char *left = *(const char **)a;
    const char *right = *(const char **)b;
    return strcmp(left, right);
}

int main(int argc, char **argv)
{
    int i;
    for (i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "r");
        if (file == NULL) {
            fprintf(stderr, "cannot open %s\\n", argv[i]);
            return 1;
        }
        fclose(file);
    }
    return 0;
}
""",
    "go": """
type byName []os.FileInfo

func (f byName) Len() int           { return len(f) }
func (f byName) Less(i, j int) bool { return f[i].Name() < f[j].Name() }
func (f byName) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }

func read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}
""",
    "java": """
public class Person {
    private final String name;
    private int age;

    public Person(String name, int age) {
        this.name = name;
        this.age = age;
    }

    public String getName() {
        return name;
    }

    @Override
    public boolean equals(Object obj) {
        if (this == obj) {
            return true;
        }
        if (!(obj instanceof Person)) {
            return false;
        }
        Person other = (Person) obj;
        return age == other.age && name.equals(other.name);
    }
}
""",
    "javascript": """
function debounce(callback, delay) {
  let timer = null;
  return function (...args) {
    clearTimeout(timer);
    timer = setTimeout(() => callback.apply(this, args), delay);
  };
}

export async function load(url, options = {}) {
  const response = await fetch(url, options);
  if (!response.ok) {
    throw new Error(`Failed: ${response.status}`);
  }
  return response.json();
}
""",
    "python": """
import os

class Reader:
    def __init__(self, path, encoding="utf-8"):
        self.path = path
        self.encoding = encoding

    def lines(self):
        with open(self.path, encoding=self.encoding) as file:
            for line in file:
                if not line.strip():
                    continue
                yield line

def main():
    for name in os.listdir("."):
        print(name)

if __name__ == "__main__":
    main()
""",
}
# C and C++ share a front end, and C++ was learnt later.
EVERYDAY["markup"] = """
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Page</title>
<link rel="stylesheet" href="style.css">
<script src="main.js"></script>
</head>
<body>
<div class="container">
<ul>
<li><a href="index.html">Home</a></li>
</ul>
</div>
</body>
</html>
"""
EVERYDAY["rust"] = """
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    message: String,
}

impl Error {
    pub fn new(message: &str) -> Self {
        Self { message: message.to_string() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_works() {
        let error = Error::new("a");
        assert_eq!(error.message, "a");
    }
}
"""
EVERYDAY["csharp"] = """
using System;
using System.Collections.Generic;

namespace Shapes
{
    public class Person : IEquatable<Person>
    {
        private readonly string name;

        public Person(string name)
        {
            if (name == null)
            {
                throw new ArgumentNullException("name");
            }
            this.name = name;
        }

        public int Age { get; set; }

        public override string ToString()
        {
            return string.Format("{0}: {1}", name, Age);
        }

        public bool Equals(Person other)
        {
            foreach (var item in items)
            {
                if (item == other)
                {
                    return true;
                }
            }
            return false;
        }
    }
}
"""
EVERYDAY["kotlin"] = """
package shapes

import java.io.File

data class Person(val name: String, val age: Int = 0)

class Reader(private val path: String) {
    private val lines = mutableListOf<String>()

    fun read(): List<String> {
        val file = File(path)
        if (!file.exists()) {
            return emptyList()
        }
        for (line in file.readLines()) {
            lines.add(line)
        }
        return lines
    }

    override fun toString(): String = "Reader(path=$path)"

    companion object {
        const val NAME = "reader"
    }
}
"""
EVERYDAY["php"] = """<?php

namespace App\\Shapes;

use InvalidArgumentException;

class Person
{
    private $name;

    public function __construct($name, array $options = array())
    {
        $this->name = $name;
        foreach ($options as $key => $value) {
            $this->$key = $value;
        }
    }

    public function getName()
    {
        return $this->name;
    }

    public function setName($name)
    {
        if (!is_string($name)) {
            throw new InvalidArgumentException('not a name');
        }
        $this->name = $name;

        return $this;
    }
}
"""
EVERYDAY["ruby"] = """
require 'set'

module Shapes
  class Person
    attr_reader :name, :age

    def initialize(name, options = {})
      @name = name
      @age = options[:age] || 0
    end

    def to_s
      "#{name}: #{age}"
    end

    def ==(other)
      other.is_a?(self.class) && other.name == name
    end

    private

    def lines
      return [] if name.nil?
      name.split("\\n").map { |line| line.strip }
    end
  end
end
"""
EVERYDAY["scala"] = """
package shapes

import scala.collection.mutable

case class Person(name: String, age: Int)

object Person {
  def apply(name: String): Person = new Person(name, 0)

  def read(lines: Seq[String]): Option[Person] = {
    val found = lines.map(_.trim).filter(_.nonEmpty)
    found.headOption match {
      case Some(name) => Some(Person(name))
      case None => None
    }
  }
}

trait Reader {
  def path: String
  override def toString: String = s"Reader($path)"
}
"""
EVERYDAY["shell"] = """#!/bin/sh
set -e

read_file() {
    if [ ! -f "$1" ]; then
        echo "$1 not found" >&2
        exit 1
    fi
    cat "$1"
}

if [ -z "$1" ]; then
    echo "Usage: $0 FILE" >&2
    exit 1
fi

for file in "$@"; do
    if [ -f "$file" ]; then
        read_file "$file"
    else
        echo "$file not found" >&2
        exit 1
    fi
done

case "$1" in
    start)
        echo "starting"
        ;;
    *)
        exit 1
        ;;
esac
"""
EVERYDAY["swift"] = """
import Foundation

public struct Person: Equatable {
    public let name: String
    public var age: Int = 0

    public init(name: String) {
        self.name = name
    }
}

final class Reader {
    private let path: String

    init(path: String) {
        self.path = path
    }

    func read() throws -> [String] {
        guard let data = FileManager.default.contents(atPath: path) else {
            return []
        }
        var lines: [String] = []
        for line in lines {
            if line.isEmpty {
                continue
            }
            lines.append(line)
        }
        return lines
    }
}
"""
EVERYDAY_OF_CPP = """
#include <algorithm>
#include <vector>

namespace shapes {

class Shape {
public:
    Shape() = default;
    virtual ~Shape() = default;
    Shape(const Shape&) = delete;
    Shape& operator=(const Shape&) = delete;

    virtual double area() const override;
    const std::string& name() const { return m_name; }

private:
    std::string m_name;
};

std::vector<double> areas(const std::vector<std::unique_ptr<Shape>>& shapes)
{
    std::vector<double> found;
    found.reserve(shapes.size());
    for (const auto& shape : shapes) {
        found.push_back(shape->area());
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a > b; });
    return found;
}

template <typename T>
bool Table<T>::contains(const std::string& key) const
{
    auto it = m_rows.find(key);
    if (it == m_rows.end()) {
        throw std::runtime_error("no such row");
    }
    return static_cast<int>(m_rows.size()) > 0;
}

}
"""
COMMON_NAMES = {
    "c": b"int i;",
    "go": b"var err error",
    "java": b"String name;",
    "javascript": b"this.length",
    "markup": b'<html lang="en">',
    "python": b"self",
    "rust": b"self.len",
    "csharp": b"string value;",
    "kotlin": b"it",
    "php": b"<?php $this;",
    "ruby": b"name",
    "scala": b"name",
    "shell": b"file=1",
    "swift": b"data",
}
# Languages of front ends that are not called like one of theirs.
LANGUAGES = {"markup": "html", "shell": "bash"}
NOBODYS = dict.fromkeys(LEARNT, b"; ) = = ] [ < ) > ( * } { , ; = ( / = ) , } > ; [ = < ( ] * { = } )") | {
    "markup": b"<a=<b '>' / \"<\" </ = > ; </> <!x> = = \"a\" <'b' = = /> <a / / b = / = > '=' / = < = / '' ="
}
learnt = pytest.mark.parametrize("front_end", sorted(LEARNT))


def test_everyday_code_is_at_hand_for_all_that_was_learnt() -> None:
    assert EVERYDAY.keys() == LEARNT
    assert all(front_end_of(LANGUAGES.get(name, name)).name == name for name in LEARNT)


@learnt
def test_everyday_code_says_little(front_end: str) -> None:
    tokens = tokenize(LANGUAGES.get(front_end, front_end), EVERYDAY[front_end].encode())
    known = gram_bits(grams(tokens)) < RARE_GRAM
    assert known.mean() > 0.93
    assert token_bits(tokens, front_end, common_grams(tokens))[3:].mean() < 2.2


def test_everyday_code_of_cpp_says_little() -> None:
    tokens = tokenize("cpp", EVERYDAY_OF_CPP.encode())
    assert (gram_bits(grams(tokens)) < RARE_GRAM).mean() > 0.9
    assert token_bits(tokens, front_end_of("cpp").name, common_grams(tokens))[3:].mean() < 2.2


@learnt
def test_code_that_nobody_writes_is_rare(front_end: str) -> None:
    tokens = tokenize(LANGUAGES.get(front_end, front_end), NOBODYS[front_end])
    assert np.median(gram_bits(grams(tokens))) == RARE_GRAM


@learnt
def test_a_name_of_every_program_is_known_and_an_invented_one_is_not(front_end: str) -> None:
    common = tokenize(LANGUAGES.get(front_end, front_end), COMMON_NAMES[front_end])
    assert text_bits(common.verbatim).min() < 9
    invented = tokenize(LANGUAGES.get(front_end, front_end), b"qwzxvglorb")
    assert text_bits(invented.verbatim).tolist() == [RAREST]


SORTING = """
type byAge []Person

func (a byAge) Len() int           { return len(a) }
func (a byAge) Less(i, j int) bool { return a[i] < a[j] }
func (a byAge) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
"""


def test_what_everybody_writes_is_common_property() -> None:
    tokens = tokenize("go", SORTING.encode())
    assert common_kgrams(tokens, 16, common_grams(tokens)).mean() > 0.5
    assert token_bits(tokens, "go", common_grams(tokens))[16:].mean() < 0.5


def test_a_longer_kgram_is_common_if_all_16_grams_in_it_are() -> None:
    tokens = tokenize("go", SORTING.encode())
    common = common_grams(tokens)
    sixteen = common_kgrams(tokens, 16, common).tolist()
    assert common_kgrams(tokens, 19, common).tolist() == [all(sixteen[n : n + 4]) for n in range(len(sixteen) - 3)]
    assert not common_kgrams(tokens, 12, common).any()
    assert len(common_kgrams(tokens, 1000, common)) == 0


def test_a_name_that_everybody_uses_says_nothing_and_a_rare_one_much() -> None:
    worth = literal_bits(tokenize("python", b"self . zwirbeldrehtisch = 0 + 90210"))
    assert worth.tolist()[:1] + worth.tolist()[1:2] + worth.tolist()[3:4] == [0, 0, 0]
    assert worth[2] > 6
    assert worth[4] < 1 < worth[6]


def test_a_word_of_many_programs_says_less_than_its_rarity() -> None:
    queue, own = literal_bits(tokenize("python", b"popleft zwirbeldrehtisch"))
    assert 0 < queue < own / 2


EVERYBODY_SAYS = """
package main
// Licensed under the Apache License, Version 2.0 (the "License");
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
var a = 1
"""
NOBODY_SAYS = """
package main
// The zwirbeldrehtisch is older than its qwzxvglorb
var a = 1
"""


def test_what_the_comments_of_several_projects_say_tells_nothing() -> None:
    common, rare = (tokenize("go", text.encode()) for text in (EVERYBODY_SAYS, NOBODY_SAYS))
    found = [tokens.phrases for tokens in (common, rare) if tokens.phrases is not None]
    assert [int((own.words != WORD).sum()) for own in found] == [2, 1]
    assert [int((distinctive_phrases(tokens).words != WORD).sum()) for tokens in (common, rare)] == [0, 1]
