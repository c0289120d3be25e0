import type { Database } from '../../database/database.ts';
import type { ImportCounts } from '../import/import-table.ts';
import type { CheckProgress } from '../table/check-table.ts';
import type { HeldTableUpload, TableUploadProgress } from './table-upload.ts';
import { saveProgress } from './table-upload-store.ts';

/** The interval at which progress is stored, in milliseconds. */
const SAVE_MS = 500;
const NO_COUNTS: ImportCounts = { rows: 0, nodes: 0, files: 0, bytes: 0, terms: 0 };

/** Stores how far the work on an upload is, so that any process can show it, and notices when it must stop. */
export interface TableUploadFollower {
  /** Aborts when the user stops the work, their account is blocked, another process takes over, or the server stops. */
  readonly signal: AbortSignal;
  /** Begins a part of the work. */
  enter(totalRows: number | undefined): void;
  readonly showCheck: (progress: CheckProgress) => void;
  readonly showCounts: (counts: ImportCounts) => void;
  current(): TableUploadProgress;
  end(): void;
}

/** Follows the work on an upload until its end. */
export function followTableUpload(database: Database, held: HeldTableUpload, outer: AbortSignal): TableUploadFollower {
  const control = new AbortController();
  let isSaving = false;
  let progress: TableUploadProgress = { ...NO_COUNTS, totalRows: undefined, part: 0, startedAt: 0, firstPart: 0 };
  let isFirst = true;

  const advance = (change: Partial<TableUploadProgress>) => {
    progress = { ...progress, ...change };
    // Rows of an earlier run do not count for the rate.
    if (isFirst) progress = { ...progress, firstPart: progress.part };
    isFirst = false;
  };
  const save = async () => {
    if (isSaving) return;
    isSaving = true;
    try {
      if (await saveProgress(database, held, progress)) control.abort(new Error('the import was stopped'));
    } catch (error) {
      control.abort(error);
    } finally {
      isSaving = false;
    }
  };
  const saving = setInterval(save, SAVE_MS);
  return {
    signal: AbortSignal.any([control.signal, outer]),
    enter(totalRows) {
      isFirst = true;
      progress = {
        ...NO_COUNTS,
        ...{ totalRows, part: 0, firstPart: 0, startedAt: Math.floor(Date.now() / 1_000) },
      };
    },
    showCheck: ({ rows, bytes, totalBytes }) => advance({ rows, part: totalBytes === 0 ? 1 : bytes / totalBytes }),
    showCounts: (counts) => advance({ ...counts, part: counts.rows / Math.max(1, progress.totalRows ?? 1) }),
    current: () => progress,
    end: () => clearInterval(saving),
  };
}
