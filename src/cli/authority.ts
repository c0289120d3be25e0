import { Command, Option } from 'commander';
import { AUTHORITY_KINDS, type AuthorityKind } from '../authorities/authority-record.ts';
import type { ListProgress } from '../authorities/list-runs.ts';
import { byteText, countInWords, momentInWords, numberText } from '../base/in-words.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import type { ExitCode } from './attempt.ts';
import { parsePath } from './parse-value.ts';
import { type ProgressStyle, showProgress } from './progress-display.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { unlessStopped } from './stop-signal.ts';
import { plainLine } from './text.ts';
import { withRepository } from './with-repository.ts';

interface LoadFlags extends SettingFlags {
  name?: string;
  source?: string;
  kind?: AuthorityKind;
  quiet?: boolean;
}

type Progress = ListProgress & { readonly totalBytes: number };

const LOOK: ProgressStyle<Progress> = {
  format: '[{bar}] {percentage}% | {records} records | {done} of {size} | {eta_formatted} left',
  measure({ bytes, records, totalBytes }) {
    const facts = { records: numberText(records), done: byteText(bytes), size: byteText(totalBytes) };
    return { total: totalBytes, value: bytes, facts };
  },
  lineOf: ({ bytes, records, totalBytes }) =>
    `${countInWords(records, 'record')}, ${byteText(bytes)} of ${byteText(totalBytes)}.`,
};

/** Broken lines that are shown. */
const SHOWN_LINES = 10;

const AFTER_LOAD = `
The file is SKOS, MADS/RDF, GND or GeoNames as N-Triples, Turtle or JSON-LD, as it is published; it may be compressed with
gzip. Its records complete the names of references in forms, by all their names. It works while the repository runs. A list of
the same name is replaced when the new file is complete; after Ctrl-C, a crash or an error the former one stays, and the
same command starts again. Broken lines of N-Triples are reported and left out; after 100 of them nothing is loaded.

Examples:
  repo authority load names.skosrdf.nt.gz --name lcnaf --kind person
  repo authority load subjects.madsrdf.jsonld.gz
  repo authority load aat.ttl --name genres --kind genre`;

/** Creates `repo authority`, which loads, lists and removes authority lists. */
export function authorityCommand(finish: (code: ExitCode) => void): Command {
  return new Command('authority')
    .description('load lists of names and subjects, such as LCSH or GND')
    .addCommand(loadCommand(finish))
    .addCommand(listCommand(finish))
    .addCommand(removeCommand(finish));
}

function loadCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('load')
    .description('load an authority list, or replace it by a newer file')
    .argument('<file>', 'RDF file', parsePath)
    .option('--name <name>', 'name of the list (default: that of the file)')
    .option('--source <name>', 'name in authority_sources of the content model (default: that of the URIs)')
    .addOption(new Option('--kind <kind>', 'kind of the records of which the file tells none').choices(AUTHORITY_KINDS))
    .option('--quiet', 'show no progress');
  return withSettings(command)
    .addHelpText('after', AFTER_LOAD)
    .action(async (file: string, flags: LoadFlags, self: Command) => {
      finish(await withRepository(flags, self, (repository) => load(repository, file, flags)));
    });
}

async function load({ services }: CommandRepository, path: string, flags: LoadFlags): Promise<boolean> {
  const { loadList } = await import('../authorities/load/load-list.ts');
  const { name, source, kind, quiet = false } = flags;
  const display = showProgress(LOOK, quiet);
  let shown = 0;
  const onBroken = (line: number, reason: string) => {
    shown += 1;
    if (shown <= SHOWN_LINES) display.tell(`line ${numberText(line)}: ${plainLine(reason)}`);
  };
  const whenStopped = 'The loading was interrupted. Nothing has changed; the same command starts again.';
  const startedAt = performance.now();
  try {
    const loaded = await unlessStopped(whenStopped, (signal) =>
      loadList(services, { path, name, source, kind, signal, onProgress: display.show, onBroken }),
    );
    if (loaded === undefined) return false;
    display.end();
    const { records, names, brokenLines } = loaded;
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const broken = brokenLines === 0 ? '' : ` ${countInWords(brokenLines, 'broken line')} left out.`;
    console.log(
      `The list ${loaded.name} (${loaded.source}) has ${countInWords(records, 'record')} with ${countInWords(names, 'name')}, after ${seconds} s.${broken}`,
    );
    return true;
  } finally {
    display.end();
  }
}

function listCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('list').description('list all authority lists: name, source, records, names, time, file');
  return withSettings(command).action(async (flags: SettingFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ services }) => {
        const { listAuthorities } = await import('../authorities/authority-lists.ts');
        for (const { name, source, records, names, loadedAt, file } of await listAuthorities(services.database))
          console.log(
            [name, source, records, names, momentInWords(loadedAt ?? 0), file]
              .map((cell) => plainLine(String(cell)))
              .join('\t'),
          );
      }),
    ),
  );
}

function removeCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('remove')
    .description('remove an authority list; terms that were made of it stay')
    .argument('<name>', 'name of the list');
  return withSettings(command).action(async (name: string, flags: SettingFlags, self: Command) =>
    finish(
      await withRepository(flags, self, async ({ services }) => {
        const { removeAuthority } = await import('../authorities/authority-lists.ts');
        const whenStopped =
          'The removal was interrupted: no form has the list any more. The next load removes its rows.';
        const list = await unlessStopped(whenStopped, (signal) => removeAuthority(services.database, name, signal));
        if (list !== undefined) console.log(`Removed ${list.name} with ${countInWords(list.records, 'record')}.`);
        return list !== undefined;
      }),
    ),
  );
}
