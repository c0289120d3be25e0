import { Command } from 'commander';
import { byteText, countInWords } from '../base/in-words.ts';
import type { Log } from '../base/log.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { ListedBackup, Manifest } from '../upkeep/backup/manifest.ts';
import type { DatabaseProblem } from '../upkeep/integrity/find-damaged-values.ts';
import { EXIT, type ExitCode } from './attempt.ts';
import { parseByteRate, parseCount } from './parse-value.ts';
import { showTransfer } from './progress-display.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { unlessStopped } from './stop-signal.ts';
import { filesText, plainLine } from './text.ts';
import { withConfig } from './with-repository.ts';

interface BackupFlags extends SettingFlags {
  list?: boolean;
  keep?: number;
  dryRun?: boolean;
  verify?: boolean;
  rate?: number;
  quiet?: boolean;
}

const AFTER = `
It works while the repository runs: the backup is a consistent state of database and files. It copies only new files, so that
the next backup is fast; the same command resumes an interrupted one. If files differ from their checksum, it reports them
and exits with 1.

The backup contains the keys of the repository and unpublished content: protect it. It does not contain the configuration.

Examples:
  repo backup /mnt/backup
  repo backup s3://bucket/repository --rate 50MB/s
  repo backup /mnt/backup --keep 30
  repo backup /mnt/backup --list`;

/** Creates `repo backup`, which copies database and files into a folder or a bucket. */
export function backupCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('backup')
    .description('copy the database and all files into a folder or an S3 bucket')
    .argument('<place>', 'folder, or s3://bucket/prefix')
    .option('--list', 'list the backups instead of making one')
    .option('--keep <count>', 'number of backups to keep; older ones are deleted afterwards', parseCount)
    .option('--dry-run', 'with --keep: show what would be deleted, and make no backup')
    .option('--verify', 'also read the files of earlier backups, and replace damaged ones')
    .option('--rate <bytes>', 'maximum rate in bytes per second, such as 50MB/s (default: no limit)', parseByteRate)
    .option('--quiet', 'show no progress');
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (place: string, flags: BackupFlags, self: Command) => {
      if (flags.dryRun && flags.keep === undefined) self.error('--dry-run requires --keep');
      finish(await withConfig(flags, self, (config, log) => backUp(place, flags, config, log)));
    });
}

async function backUp(address: string, flags: BackupFlags, config: ServerConfig, log: Log): Promise<ExitCode> {
  const [{ backUpRepository }, { openPlace }, { findBackups }, { prune }] = await Promise.all([
    import('../server/back-up-repository.ts'),
    import('../server/backup-place.ts'),
    import('../upkeep/backup/manifest.ts'),
    import('../upkeep/backup/prune.ts'),
  ]);
  if (flags.list) return printList(await findBackups(openPlace(address, config)));
  const { keep, dryRun: isDryRun = false } = flags;
  let code: ExitCode = EXIT.ok;
  let made: string | undefined;
  if (!isDryRun) {
    let damagedValues = 0;
    const display = showTransfer('Copying the database …', flags.quiet ?? false);
    const request = {
      address,
      isRechecked: flags.verify ?? false,
      bytesPerSecond: flags.rate,
      onProgress: display.show,
      onDamagedValue({ subject, detail }: DatabaseProblem) {
        damagedValues += 1;
        console.error(plainLine(`Damaged: ${subject}: ${detail}`));
      },
    };
    const manifest = await unlessStopped('The backup was interrupted. Run the same command to resume it.', (signal) =>
      backUpRepository(config, { ...request, signal }, log).finally(display.end),
    );
    if (manifest === undefined) return EXIT.failure;
    code = reportBackup(manifest, address);
    made = manifest.backup;
    if (damagedValues > 0) {
      const noun = damagedValues === 1 ? 'it' : 'them';
      console.error(`The database has ${countInWords(damagedValues, 'damaged value')}; the backup contains ${noun}.`);
      code = EXIT.failure;
    }
  }
  if (keep !== undefined) {
    const { backups, contents, bytes } = await prune(openPlace(address, config), { keep, made, isDryRun });
    const verb = isDryRun ? 'Would delete' : 'Deleted';
    for (const backup of backups) console.log(`${verb} the backup ${backup}.`);
    console.log(
      `${verb} ${countInWords(backups.length, 'backup')} and ${countInWords(contents, 'file')}, ${byteText(bytes)} in total.`,
    );
  }
  return code;
}

function reportBackup({ backup, files, database, damaged }: Manifest, place: string): ExitCode {
  console.log(
    `Backup ${backup} is in ${place}: ${countInWords(files.count, 'file')}, ${byteText(files.bytes)}, and the database, ${byteText(database.bytes)}.`,
  );
  console.log(`${countInWords(files.added, 'file')} copied, ${byteText(files.addedBytes)}.`);
  for (const { id, uri, problem } of damaged) console.error(plainLine(`Damaged: file ${id}, ${uri}: ${problem}`));
  if (damaged.length === 0) return EXIT.ok;
  console.error(`${countInWords(damaged.length, 'file')} damaged or missing; see above.`);
  return EXIT.failure;
}

function printList(backups: readonly ListedBackup[]): ExitCode {
  for (const listed of backups)
    console.log(`${listed.backup}  ${'manifest' in listed ? factsOf(listed.manifest) : listed.problem}`);
  if (backups.length === 0) console.log('No backups.');
  return backups.some((listed) => 'problem' in listed) ? EXIT.failure : EXIT.ok;
}

function factsOf({ files, database, damaged, program }: Manifest): string {
  const facts = [
    filesText(files.count, files.bytes),
    `${files.added} new of ${byteText(files.addedBytes)}`,
    `database of ${byteText(database.bytes)}`,
    `by ${program.name} ${program.version}`,
  ];
  return [...facts, ...(damaged.length > 0 ? [`${damaged.length} damaged`] : [])].join(', ');
}
