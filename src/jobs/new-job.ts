import { entityPath, pathOf } from '../paths.ts';
import type { Actor } from '../repository/actor.ts';
import { type DerivativeContent, derivativeEvent } from './derivative-event.ts';
import { derivativePath } from './file-path.ts';
import type { NewJob } from './job.ts';
import type { NodeFacts } from './node-facts.ts';
import type { DerivativeAction } from './rules.ts';
import { poolOf } from './rules.ts';
import type { NamedTerm } from './term-uris.ts';

/** The source of a derivative. */
export interface JobSource {
  /** The root-relative address of the bytes. */
  readonly path: string;
  /** The stream URI of the source file; undefined if there are several. */
  readonly uri: string | undefined;
  readonly mimeType: string;
  /** The field of the source media that holds the file; undefined if there are several. */
  readonly field: string | undefined;
  /** The term whose first media on the node is the source; undefined if there are several. */
  readonly termId: number | undefined;
}

/** The part of a job that does not depend on the source. */
interface JobSubject {
  readonly actor: Actor;
  readonly action: DerivativeAction;
  readonly node: Pick<NodeFacts, 'id' | 'uuid'>;
  readonly derivativeTerm: NamedTerm;
  readonly chain: readonly string[];
  /** Seconds since 1970. */
  readonly now: number;
}

/** Returns the job of an action for a node, with its event. */
export function newJob({ actor, action, node, derivativeTerm, chain, now }: JobSubject, source: JobSource): NewJob {
  const eventId = Bun.randomUUIDv7();
  const content: DerivativeContent = {
    source_uri: source.path,
    destination_uri: pathOf('nodeMediaSource', {
      node: node.id,
      media_type: action.mediaType,
      taxonomy_term: derivativeTerm.id,
    }),
    file_upload_uri: derivativePath(action, {
      now,
      sourceUri: source.uri,
      termName: derivativeTerm.name,
      nodeId: node.id,
    }),
    ...(action.args !== '' && { args: action.args }),
    mimetype: action.mimeType,
    ...(source.field !== undefined && { source_field: source.field }),
  };
  const event = derivativeEvent({
    eventId,
    actor: { uuid: actor.uuid, path: entityPath.user(actor.id) },
    node: { uuid: node.uuid, path: entityPath.node(node.id) },
    content,
  });
  return {
    eventId,
    action: action.name,
    pool: poolOf(action),
    nodeId: node.id,
    userId: actor.id,
    sourceType: source.mimeType,
    event: JSON.stringify(event),
    chain: [...chain],
    sourceTermId: source.termId,
    delaySeconds: action.ofMembers?.settleSeconds ?? 0,
  };
}
