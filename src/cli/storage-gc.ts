import { Command, Option } from 'commander';
import { byteText, countInWords, numberText } from '../base/in-words.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import type { Garbage, GarbageItem, StoreGarbage } from '../upkeep/gc/gc.ts';
import type { ExitCode } from './attempt.ts';
import { parseAge } from './parse-value.ts';
import { createProgressLines } from './progress-display.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { unlessStopped } from './stop-signal.ts';
import { plainLine } from './text.ts';
import { withRepository } from './with-repository.ts';

interface GcFlags extends SettingFlags {
  olderThan: number;
  delete?: boolean;
  force?: boolean;
  verbose?: boolean;
  quiet?: boolean;
}

const DAY_S = 86_400;
const KINDS: Readonly<Record<GarbageItem['kind'], string>> = {
  object: 'object without a file',
  upload: 'unfinished upload',
  file: 'unused file',
  unreferenced: 'file without references',
};

const AFTER = `
It finds objects without a file, remains of unfinished uploads, and files that were uploaded and not used for a day; and files
that have lost all references for the time of the setting keepUnreferencedFiles (default: 30 days), except in schemes with
archive: true. It only counts them; --delete deletes them. Each one is checked again right before it is deleted. Nothing is
deleted during a backup. It requires --force if it would delete more than half of a store, because the database may be the
wrong one.

Examples:
  repo storage gc
  repo storage gc --verbose --older-than 7d
  repo storage gc --delete`;

/** Creates `repo storage gc`, which finds and removes unused objects. */
export function gcCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('gc')
    .description('find and delete unused objects')
    .option('--delete', 'delete them (default: only count them)')
    .addOption(new Option('--older-than <age>', 'minimum age').argParser(parseAge).default(DAY_S, '1d'))
    .option('--force', 'delete even more than half of a store')
    .option('--verbose', 'list each object')
    .option('--quiet', 'show no progress');
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (flags: GcFlags, self: Command) => {
      if (flags.force && !flags.delete) self.error('--force requires --delete');
      finish(await withRepository(flags, self, (repository) => collect(repository, flags), { hasStores: true }));
    });
}

/** Finds or removes garbage. Returns false after Ctrl-C. */
async function collect({ config, services, settleDiscards }: CommandRepository, flags: GcFlags): Promise<boolean> {
  const { findDoubt, findGarbage, removeGarbage } = await import('../upkeep/gc/gc.ts');
  const whenStopped = 'The cleanup was interrupted. The same command starts again. Deleted objects stay deleted.';
  const isDone = await unlessStopped(whenStopped, async (signal) => {
    const options = {
      olderThanSeconds: flags.olderThan,
      unreferencedForSeconds: config.keepUnreferencedSeconds,
      signal,
      onProgress: flags.quiet ? undefined : createProgressLines(process.stderr, progressLine),
      onFound: flags.verbose ? (garbage: GarbageItem) => console.log(foundLine(garbage)) : undefined,
    };
    if (flags.delete) {
      const removed = await removeGarbage(services, options, flags.force ?? false).finally(settleDiscards);
      console.log([...garbageLines(removed), `Deleted: ${totalText(removed)}.`].join('\n'));
      return true;
    }
    const garbage = await findGarbage(services, options);
    const doubt = await findDoubt(services, garbage);
    const advice = isNothing(garbage) ? [] : ['Nothing was deleted. To delete these objects, add --delete.'];
    console.log([...garbageLines(garbage), `Total: ${totalText(garbage)}.`, ...advice].join('\n'));
    if (doubt !== undefined)
      console.error(`${doubt} Is this the right database for these stores? --delete requires --force.`);
    return true;
  });
  return isDone ?? false;
}

function progressLine({ store, all, unnamed }: StoreGarbage): string {
  return `${store}: ${countInWords(all.count, 'object')} checked, ${numberText(unnamed.count)} without a file.`;
}

function garbageLines({ stores, temporaries, unreferenced }: Garbage): string[] {
  const lines = stores.map(({ store, all, unnamed, noted, unfinished }) => {
    const parts = [
      `${countInWords(all.count, 'object')} of ${byteText(all.bytes)}`,
      `${numberText(unnamed.count)} without a file${unnamed.count > 0 ? ` of ${byteText(unnamed.bytes)}` : ''}`,
      ...(noted.count > 0 ? [`${numberText(noted.count)} already being deleted`] : []),
      ...(unfinished > 0 ? [countInWords(unfinished, 'unfinished upload')] : []),
    ];
    return `${store}: ${parts.join(', ')}`;
  });
  return [
    ...lines,
    `unused files: ${amountText(temporaries)}`,
    `files without references: ${amountText(unreferenced)}`,
  ];
}

function amountText({ count, bytes }: Garbage['temporaries']): string {
  return `${numberText(count)}${count > 0 ? ` of ${byteText(bytes)}` : ''}`;
}

function isNothing({ stores, temporaries, unreferenced }: Garbage): boolean {
  return (
    temporaries.count + unreferenced.count === 0 &&
    stores.every(({ unnamed, unfinished }) => unnamed.count + unfinished === 0)
  );
}

function totalText({ stores, temporaries, unreferenced }: Garbage): string {
  const objects = stores.reduce((sum, { unnamed }) => sum + unnamed.count, 0);
  const uploads = stores.reduce((sum, { unfinished }) => sum + unfinished, 0);
  const bytes = stores.reduce((sum, { unnamed }) => sum + unnamed.bytes, temporaries.bytes + unreferenced.bytes);
  const parts = [
    countInWords(objects, 'object'),
    countInWords(uploads, 'unfinished upload'),
    countInWords(temporaries.count + unreferenced.count, 'unused file'),
  ];
  return `${parts.join(', ')}; ${byteText(bytes)}`;
}

function foundLine({ kind, store, name, bytes }: GarbageItem): string {
  const size = bytes === undefined ? '' : `, ${byteText(bytes)}`;
  return plainLine(`${store}: ${KINDS[kind]} ${name}${size}`);
}
