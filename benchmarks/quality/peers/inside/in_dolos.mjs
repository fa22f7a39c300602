// in_dolos.mjs LIBRARY CHANGED KNOWN RESULT
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

const rows = [];
for (const here of within(changed)) {
  for (const there of within(known)) {
    // Not report.allPairs(), which would also compare the known files with each other.
    for (const fragment of report.getPair(here, there).buildFragments()) {
      const { startRow, endRow, endCol } = fragment.leftSelection;
      const last = endCol === 0 && endRow > startRow ? endRow : endRow + 1;
      rows.push([path.relative(changed, here.path), startRow + 1, last, path.relative(known, there.path)]);
    }
  }
}
fs.writeFileSync(result, JSON.stringify(rows));
