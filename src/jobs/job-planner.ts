import type { Database } from '../database/database.ts';
import type { Actor } from '../repository/actor.ts';
import type { Services } from '../repository/content/services.ts';
import type { Announcer, ChangedSource } from '../repository/content/write/announce-source.ts';
import { MEDIA_OF } from '../repository/relations.ts';
import { createWaker, type Waker } from '../runs/waker.ts';
import { addJobs, endUnwantedJobs } from './add-jobs.ts';
import { createFindPlaces, type DerivativePlace } from './find-places.ts';
import { createFindRequired, type FindRequired, type RequiredDerivative } from './find-required.ts';
import type { NewJob } from './job.ts';
import { newJob } from './new-job.ts';
import { findNodeFacts } from './node-facts.ts';
import { outdateDerivatives } from './outdate-derivatives.ts';
import type { DerivativeRules } from './rules.ts';
import { createTermUris, referredTerms, type TermUris } from './term-uris.ts';

/** Plans jobs after changes, and for missing derivatives. */
interface JobPlanner extends Announcer, Waker {
  readonly rules: DerivativeRules;
  readonly terms: TermUris;
  /** Finds the derivatives that a source should have, new or not. */
  readonly findRequired: FindRequired;
  /** Returns the job that creates a derivative on behalf of a user. */
  jobOf(actor: Actor, wanted: RequiredDerivative): NewJob;
}

/** The services of the domain, with the planner behind its announcer. */
export interface JobServices extends Services {
  readonly derivatives: JobPlanner;
}

interface JobPlannerParts {
  readonly database: Database;
  readonly rules: DerivativeRules;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Warns the operator of a rule without effect. */
  readonly warn: (message: string) => void;
  /** Returns the services of the domain, which refer to the planner. */
  readonly services: () => Services;
}

/** Creates a planner that follows `rules`. */
export function createJobPlanner({ database, rules, now, warn, services }: JobPlannerParts): JobPlanner {
  const terms = createTermUris(database);
  const findRequired = createFindRequired({ rules, terms, warn });
  const findPlaces = createFindPlaces(rules, terms);

  function jobOf(actor: Actor, { source, ...wanted }: RequiredDerivative): NewJob {
    return newJob({ actor, now: now(), ...wanted }, source);
  }

  async function jobsFor(actor: Actor, changed: ChangedSource): Promise<NewJob[]> {
    const { type, values, file, chain } = changed;
    const nodeId = nodeOf(changed);
    if (nodeId === undefined) return [];
    const source = { type, termIds: referredTerms(type, values), nodeId, file, chain };
    const wanted = await findRequired(source, (id) => findNodeFacts(database, terms, id));
    return wanted.map((each) => jobOf(actor, each));
  }

  return {
    rules,
    terms,
    findRequired,
    jobOf,
    async needsJobs(actor, changed) {
      return (await jobsFor(actor, changed)).length > 0;
    },
    async statements(actor, uuid, changed) {
      const jobs = await jobsFor(actor, changed);
      const nodeId = nodeOf(changed);
      if (changed.isNew || nodeId === undefined) return addJobs(uuid, jobs);
      // Other servers may have other rules: their actions are left alone.
      const unwanted = new Set(rules.actions.keys()).difference(new Set(jobs.map(({ action }) => action)));
      return [endUnwantedJobs(uuid, nodeId, [...unwanted]), ...addJobs(uuid, jobs)];
    },
    async outdated(actor, id, changed, visited) {
      const jobs = await jobsFor(actor, changed);
      const isWanted = ({ node, actions }: DerivativePlace) =>
        jobs.some(({ nodeId, action }) => nodeId === node.id && actions.some(({ name }) => name === action));
      return outdateDerivatives(services(), findPlaces, { id, changed, isWanted }, visited);
    },
    ...createWaker(),
  };
}

/** Returns the id of the node of a media. */
function nodeOf({ values }: Pick<ChangedSource, 'values'>): number | undefined {
  const id = values[MEDIA_OF]?.[0]?.target_id;
  return typeof id === 'number' ? id : undefined;
}
