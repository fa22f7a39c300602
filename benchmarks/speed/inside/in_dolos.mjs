// in_dolos.mjs LIBRARY pairs|lines CHANGED KNOWN RESULT: every pair of a changed and a known file, and its fragments.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [library, what, changed, known, result] = process.argv.slice(2);
const { Dolos } = await import(pathToFileURL(library));

const below = (folder) =>
  fs.readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));

const report = await new Dolos().analyzePaths([...below(changed), ...below(known)]);
report.metadata().warnings.forEach((warning) => console.error(warning));
const within = (folder) => report.files.filter((file) => file.path.startsWith(folder + path.sep));

const isSimilar = (here, there) => {
  const pair = report.getPair(here, there);
  return what === "lines" ? pair.buildFragments().length > 0 : pair.similarity > 0;
};

const there = within(known);
const found = within(changed).filter((here) => there.filter((other) => isSimilar(here, other)).length);
fs.writeFileSync(result, JSON.stringify({ files: report.files.length, found: found.length }));
