import { countInWords, momentInWords } from '../../base/in-words.ts';
import { paths } from '../../paths.ts';
import { type IndexState, readIndexState } from '../../repository/search-index/index-state.ts';
import { countPending } from '../../repository/search-index/write-pending.ts';
import { type BackupRecord, findLastBackup } from '../../upkeep/backup/backup-record.ts';
import { type FixityReport, reportFixity } from '../../upkeep/fixity/verify-report.ts';
import { type DatabaseCheck, type DatabasePlan, findDatabaseCheck } from '../../upkeep/integrity/check-schedule.ts';
import type { StatusGroup, StatusLine } from '../../web/status-report.ts';
import { daysSince, fine, fix, look, sizeText } from './status-line.ts';
import type { StatusParts } from './status-parts.ts';

/** Ages in days from which an administrator is reminded. */
const OLD_BACKUP = 7;
const VERY_OLD_BACKUP = 30;
const OLD_CHECK = 100;
/** The number of pending nodes that are written within seconds. */
const MANY_PENDING = 10_000;

/** Returns the state of backups, of checks of files and of the database, and of the search index. */
export async function upkeepGroup({ services }: StatusParts): Promise<StatusGroup> {
  const { database } = services;
  const [backup, fixity, databaseCheck, index, pending] = await Promise.all([
    findLastBackup(database),
    reportFixity(database),
    findDatabaseCheck(database),
    readIndexState(database),
    countPending(database),
  ]);
  const now = services.now();
  return {
    title: 'Upkeep',
    lines: [
      judgeBackup(backup, now),
      ...judgeFixity(fixity, now),
      judgeDatabaseCheck(databaseCheck, now),
      judgeIndex(index, services.search.model.version),
      pending < MANY_PENDING
        ? fine('Items to index again', countInWords(pending, 'item'))
        : look('Items to index again', countInWords(pending, 'item'), 'The search is behind for some minutes.'),
    ],
  };
}

/** Returns the line about the last backup. */
export function judgeBackup(backup: BackupRecord | undefined, now: number): StatusLine {
  const label = 'Last backup';
  if (backup === undefined)
    return look(
      label,
      'none is recorded',
      'Make one with: repo backup FOLDER. Copies by other means are not recorded.',
    );
  const value = `${momentInWords(backup.finished)}, ${countInWords(backup.files, 'file')} of ${sizeText(backup.bytes)}`;
  if (backup.damaged > 0)
    return fix(
      label,
      `${value}; ${countInWords(backup.damaged, 'file')} damaged`,
      'Its report names the files: repo backup PLACE --list',
    );
  const age = daysSince(backup.finished, now);
  if (age > VERY_OLD_BACKUP) return fix(label, value, 'Make one now, and repeat it by a timer of the system.');
  if (age > OLD_BACKUP) return look(label, value, 'Check that the timer of backups still runs.');
  return fine(label, value);
}

function judgeFixity({ last, outcomes, neverChecked, plan, files }: FixityReport, now: number): StatusLine[] {
  const problems = outcomes.damaged + outcomes.missing + outcomes.unreadable;
  const lines = [judgeLastCheck(last?.endedAt, plan !== undefined, now)];
  lines.push(
    problems === 0
      ? fine('Damaged or missing files', countInWords(0, 'file'))
      : fix(
          'Damaged or missing files',
          countInWords(problems, 'file'),
          'Restore them from a backup, or upload them again.',
          paths.fixity,
        ),
  );
  if (files > 0) lines.push(fine('Files that were never checked', countInWords(neverChecked, 'file')));
  return lines;
}

function judgeLastCheck(endedAt: number | undefined, isPlanned: boolean, now: number): StatusLine {
  const label = 'Last check of stored files';
  const plan = isPlanned ? 'scheduled' : 'without a schedule';
  if (endedAt === undefined && isPlanned) return fine(label, `none yet, ${plan}`);
  if (endedAt === undefined)
    return look(label, 'none', 'Start one, or schedule checks with: repo storage verify --schedule 30d', paths.fixity);
  const value = `${momentInWords(endedAt)}, ${plan}`;
  if (daysSince(endedAt, now) < OLD_CHECK) return fine(label, value);
  return look(label, value, 'Schedule checks with: repo storage verify --schedule 30d');
}

/** Returns the line about the last check of the database. */
export function judgeDatabaseCheck(
  { plan, last }: { readonly plan: DatabasePlan | undefined; readonly last: DatabaseCheck | undefined },
  now: number,
): StatusLine {
  const label = 'Last check of the database';
  const schedule = plan === undefined ? 'without a schedule' : 'scheduled';
  const advice = 'Schedule checks with: repo storage verify --database --schedule 30d';
  if (last === undefined)
    return plan === undefined ? look(label, 'none', advice) : fine(label, `none yet, ${schedule}`);
  const value = `${momentInWords(last.endedAt)}, ${countInWords(last.problems, 'problem')}, ${schedule}`;
  if (last.problems > 0) return fix(label, value, 'See the rows and their repair with: repo storage verify --database');
  return daysSince(last.endedAt, now) < OLD_CHECK ? fine(label, value) : look(label, value, advice);
}

/** Returns the line about the search index. */
export function judgeIndex({ version, building, done, total }: IndexState, current: string): StatusLine {
  const label = 'Search index';
  if (building !== null) {
    const value = `${countInWords(done, 'item')} of ${countInWords(total, 'item')} are indexed`;
    return look(label, value, 'The search is complete when the build ends.');
  }
  if (version === current) return fine(label, 'complete');
  return look(label, version === null ? 'not built yet' : 'of an earlier configuration', 'A server builds it soon.');
}
