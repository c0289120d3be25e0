import { Command } from 'commander';
import { byteText, countInWords } from '../base/in-words.ts';
import type { RestoreResult } from '../upkeep/backup/restore-backup.ts';
import { EXIT, type ExitCode } from './attempt.ts';
import { parseByteRate } from './parse-value.ts';
import { showTransfer } from './progress-display.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { unlessStopped } from './stop-signal.ts';
import { plainLine } from './text.ts';
import { withConfig } from './with-repository.ts';

interface RestoreFlags extends SettingFlags {
  backup?: string;
  acceptLoss?: boolean;
  rate?: number;
  quiet?: boolean;
}

const AFTER = `
A restore requires a data folder or a libSQL server without a repository. Files go into the storage of their scheme in the
configuration, and are compared with their checksums. The database comes last, so that an interrupted restore leaves no
repository. The same command resumes it.

Examples:
  repo restore /mnt/backup --data /srv/new
  repo restore /mnt/backup --data /srv/new --backup 2026-11-22T010203Z
  repo restore s3://bucket/repository --config repo.yaml`;

/** Creates `repo restore`, which restores a backup as a new repository. */
export function restoreCommand(finish: (code: ExitCode) => void): Command {
  const command = new Command('restore')
    .description('restore a backup as a new repository')
    .argument('<place>', 'folder, or s3://bucket/prefix')
    .option('--backup <name>', 'name of a backup (default: the latest)')
    .option('--accept-loss', 'restore even if files of the backup are damaged')
    .option('--rate <bytes>', 'maximum rate in bytes per second, such as 50MB/s (default: no limit)', parseByteRate)
    .option('--quiet', 'show no progress');
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (place: string, flags: RestoreFlags, self: Command) =>
      finish(
        await withConfig(flags, self, async (config, log) => {
          const { restoreRepository } = await import('../server/restore-repository.ts');
          const display = showTransfer('Restoring the database …', flags.quiet ?? false);
          const request = {
            address: place,
            backup: flags.backup,
            acceptsLoss: flags.acceptLoss ?? false,
            bytesPerSecond: flags.rate,
            onProgress: display.show,
          };
          const restored = await unlessStopped(
            'The restore was interrupted. Run the same command to resume it.',
            (signal) => restoreRepository(config, { ...request, signal }, log).finally(display.end),
          );
          return restored === undefined ? EXIT.failure : tell(restored, config.dataFolder);
        }),
      ),
    );
}

function tell({ manifest, files, isDone }: RestoreResult, dataFolder: string): ExitCode {
  const { lost, wereDamaged, listed, kept } = files;
  for (const { id, uri, problem, wasDamaged } of listed) {
    const since = wasDamaged ? 'already damaged at the time of the backup' : problem;
    console.error(plainLine(`Lost: file ${id}, ${uri}: ${since}`));
  }
  if (lost + wereDamaged > listed.length) console.error(`… and ${lost + wereDamaged - listed.length} more.`);
  if (!isDone) {
    console.error(
      `${countInWords(lost, 'file')} damaged in the backup ${manifest.backup}: no repository was created. Choose another backup with --backup, or accept the loss with --accept-loss.`,
    );
    return EXIT.failure;
  }
  const before = kept > 0 ? `, ${kept} of them in an earlier run` : '';
  console.log(
    `Restored the backup ${manifest.backup}: ${countInWords(files.files, 'file')}, ${byteText(files.bytes)}${before}, and the database, ${byteText(manifest.database.bytes)}.`,
  );
  console.log(`Start it with the same settings: repo serve --data ${dataFolder}`);
  if (lost + wereDamaged === 0) return EXIT.ok;
  console.error(`${countInWords(lost + wereDamaged, 'file')} lost; see above.`);
  return EXIT.failure;
}
