// in_dolos.mjs LIBRARY CHANGED KNOWN RESULT: the overlap of every pair of a changed and a known file, no fragments.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [library, changed, known, result] = process.argv.slice(2);
const { Dolos } = await import(pathToFileURL(library));

const below = (folder) =>
  fs.readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));

const report = await new Dolos().analyzePaths([...below(changed), ...below(known)]);
report.metadata().warnings.forEach((warning) => console.error(warning));
const within = (folder) => report.files.filter((file) => file.path.startsWith(folder + path.sep));

const there = within(known);
const found = within(changed).filter((here) => there.filter((other) => report.getPair(here, other).similarity > 0).length);
fs.writeFileSync(result, JSON.stringify({ files: report.files.length, found: found.length }));
