import { Command } from 'commander';
import type { Log } from '../base/log.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { ListedBackup, Manifest } from '../upkeep/backup/manifest.ts';
import { EXIT, type ExitCode } from './attempt.ts';
import { parseByteRate, parseCount } from './parse-value.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { unlessStopped } from './stop-signal.ts';
import { byteText, counted, filesText, plainLine } from './text.ts';
import { showTransfer } from './transfer-look.ts';
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
It may be done while the repository runs: database and files are as they were at one moment. Files that are there already
are not copied again, so that the second backup to a place is quick, and one that was broken off goes on when it is asked
for again. Files whose bytes are not those of their checksum are named, and the exit code is 1.

The place holds the keys of the repository, and what it hides: keep it as safe. The configuration is not in it.

Examples:
  repo backup /mnt/backup
  repo backup s3://bucket/repository --rate 50MB/s
  repo backup /mnt/backup --keep 30
  repo backup /mnt/backup --list`;

/** Creates `repo backup`, which copies database and files into a folder or a bucket. */
export function backupCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('backup')
    .description('copy the database and all files into a folder or an S3 bucket')
    .argument('<place>', 'a folder, or s3://bucket/prefix')
    .option('--list', 'show the backups that are there, and make none')
    .option('--keep <count>', 'afterwards, remove all but so many of the latest backups', parseCount)
    .option('--dry-run', 'with --keep: say what would be removed, and make no backup')
    .option('--verify', 'read what is there already, and copy anew what is damaged')
    .option('--rate <bytes>', 'read no more than so many bytes in a second, such as 50MB/s', parseByteRate)
    .option('--quiet', 'show no progress');
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (place: string, flags: BackupFlags, self: Command) => {
      if (flags.dryRun && flags.keep === undefined) self.error('--dry-run is for --keep');
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
  if (flags.list) return tellList(await findBackups(openPlace(address, config)));
  const { keep, dryRun: isDryRun = false } = flags;
  let code: ExitCode = EXIT.ok;
  if (!isDryRun) {
    const display = showTransfer('Copying the database …', flags.quiet ?? false);
    const request = {
      address,
      isRechecked: flags.verify ?? false,
      bytesPerSecond: flags.rate,
      onProgress: display.show,
    };
    const manifest = await unlessStopped('The backup was broken off. The same command goes on from here.', (signal) =>
      backUpRepository(config, { ...request, signal }, log).finally(display.end),
    );
    if (manifest === undefined) return EXIT.failure;
    code = tellBackup(manifest, address);
  }
  if (keep !== undefined) {
    const { backups, contents, bytes } = await prune(openPlace(address, config), keep, isDryRun);
    const verb = isDryRun ? 'Would remove' : 'Removed';
    console.log(
      `${verb} ${counted(backups.length, 'backup')} and ${counted(contents, 'file')}, ${byteText(bytes)} in all.`,
    );
  }
  return code;
}

function tellBackup({ backup, files, database, damaged }: Manifest, place: string): ExitCode {
  console.log(
    `Backup ${backup} is in ${place}: ${counted(files.count, 'file')}, ${byteText(files.bytes)}, and the database, ${byteText(database.bytes)}.`,
  );
  console.log(`${counted(files.added, 'file')} had to be copied, ${byteText(files.addedBytes)}.`);
  for (const { id, uri, problem } of damaged) console.error(plainLine(`Damaged: file ${id}, ${uri}: ${problem}`));
  if (damaged.length === 0) return EXIT.ok;
  console.error(`${counted(damaged.length, 'file')} could not be backed up as they should be; see above.`);
  return EXIT.failure;
}

function tellList(backups: readonly ListedBackup[]): ExitCode {
  for (const listed of backups)
    console.log(`${listed.backup}  ${'manifest' in listed ? factsOf(listed.manifest) : listed.problem}`);
  if (backups.length === 0) console.log('There is no backup.');
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
