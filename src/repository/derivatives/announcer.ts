import type { InStatement } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import { addJobs, endUnwantedJobs } from '../../derivatives/add-jobs.ts';
import type { NewJob } from '../../derivatives/job.ts';
import type { DerivativeRules } from '../../derivatives/rules.ts';
import type { FieldValues, MediaType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import { createFindWanted, type FindWanted, type WantedDerivative } from './find-wanted.ts';
import { newJob } from './new-job.ts';
import { findNodeFacts } from './node-facts.ts';
import { createTermUris, type TermUris } from './term-uris.ts';

/** A media whose source file is new, or has other bytes. */
export interface ChangedSource {
  readonly type: MediaType;
  /** All of its fields, as they are about to be saved. */
  readonly values: FieldValues;
  readonly file: { readonly uri: string; readonly filemime: string };
  /** The actions that it is a derivative by: none of them follows itself. */
  readonly chain: readonly string[];
  /** Whether there was no source before. */
  readonly isNew: boolean;
}

/** Finds out what derivatives a change calls for. */
export interface Announcer {
  readonly rules: DerivativeRules;
  readonly terms: TermUris;
  /** What is to be made of a source, be it new or not. */
  readonly findWanted: FindWanted;
  /** The job that makes it, on behalf of somebody. */
  jobOf(actor: Actor, wanted: WantedDerivative): NewJob;
  /** The jobs that a change is to be followed by, whoever makes it. */
  jobsFor(actor: Actor, changed: ChangedSource): Promise<NewJob[]>;
  /**
   * The same as statements of the transaction of that change, which end what was to be made of the source before and is
   * not any more; none for a new one where no rule applies. `uuid` is the media's.
   */
  statements(actor: Actor, uuid: string, changed: ChangedSource): Promise<InStatement[]>;
  /** To be called once such statements are committed. */
  wake(): void;
  /** Who is called then: whoever works on jobs in this process. */
  onWake(listener: () => void): void;
}

export interface AnnouncerParts {
  readonly database: Database;
  readonly rules: DerivativeRules;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Tells the operator of a rule that comes to nothing. */
  readonly warn: (message: string) => void;
}

/** An announcer under rules. */
export function createAnnouncer({ database, rules, now, warn }: AnnouncerParts): Announcer {
  const terms = createTermUris(database);
  const findWanted = createFindWanted({ rules, terms, warn });
  let listener = () => {};

  function jobOf(actor: Actor, { source, ...wanted }: WantedDerivative): NewJob {
    return newJob({ actor, now: now(), ...wanted }, source);
  }

  async function jobsFor(actor: Actor, changed: ChangedSource): Promise<NewJob[]> {
    const { type, values, file, chain } = changed;
    const nodeId = nodeOf(changed);
    if (nodeId === undefined) return [];
    const source = { type, termIds: referredTerms(type, values), nodeId, file, chain };
    const wanted = await findWanted(source, (id) => findNodeFacts(database, terms, id));
    return wanted.map((each) => jobOf(actor, each));
  }

  return {
    rules,
    terms,
    findWanted,
    jobOf,
    jobsFor,
    async statements(actor, uuid, changed) {
      const jobs = await jobsFor(actor, changed);
      const nodeId = nodeOf(changed);
      if (changed.isNew || nodeId === undefined) return addJobs(uuid, jobs);
      // Others may have rules of which nothing is known here.
      const unwanted = new Set(rules.actions.keys()).difference(new Set(jobs.map(({ action }) => action)));
      return [endUnwantedJobs(uuid, nodeId, [...unwanted]), ...addJobs(uuid, jobs)];
    },
    wake: () => listener(),
    onWake(next) {
      listener = next;
    },
  };
}

/** The node that a media belongs to. */
function nodeOf({ values }: ChangedSource): number | undefined {
  const id = values.field_media_of?.[0]?.target_id;
  return typeof id === 'number' ? id : undefined;
}

/** The ids of every term that a media refers to, in any field. */
function referredTerms({ fields }: MediaType, values: FieldValues): number[] {
  return fields
    .filter(({ targetType }) => targetType === 'taxonomy_term')
    .flatMap(({ name }) => (values[name] ?? []).map(({ target_id }) => Number(target_id)));
}
