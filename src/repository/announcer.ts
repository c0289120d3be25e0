import type { InStatement } from '@libsql/client';
import type { FieldValues, MediaType } from '../model/content-model.ts';
import type { Actor } from './actor.ts';

/** A media whose source file is new, or has other bytes. */
export interface ChangedSource {
  readonly type: MediaType;
  /** All of its fields, as they are about to be saved. */
  readonly values: FieldValues;
  readonly file: { readonly uri: string; readonly filemime: string };
  /** The actions that produced it, if it is a derivative: no action follows itself. */
  readonly chain: readonly string[];
  /** True if the media had no source before. */
  readonly isNew: boolean;
}

/** Announces changed sources to the jobs that follow from them. The domain knows no more of jobs than this. */
export interface Announcer {
  /** Returns true if the change calls for at least one job. */
  needsJobs(actor: Actor, changed: ChangedSource): Promise<boolean>;
  /**
   * Returns the statements that queue the jobs of a change, for the transaction of that change, and that end unwanted
   * jobs of the former source; none for a new source without matching rule. `uuid` is the media's.
   */
  statements(actor: Actor, uuid: string, changed: ChangedSource): Promise<InStatement[]>;
  /** Call once such statements are committed. */
  wake(): void;
}
