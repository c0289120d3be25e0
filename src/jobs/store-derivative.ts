import type { InStatement } from '@libsql/client';
import type { MediaType } from '../model/content-model.ts';
import { filePath } from '../paths.ts';
import { attachAccess, mediaAccess } from '../repository/access.ts';
import type { Actor } from '../repository/actor.ts';
import { atNode } from '../repository/actor-at.ts';
import { type Content, parseDocument } from '../repository/content/content.ts';
import { checkExtension, parseDestination } from '../repository/files/content-location.ts';
import { ingest } from '../repository/files/ingest.ts';
import { attachableSourceOf } from '../repository/media/attach-file.ts';
import { type PutParts, putToNode } from '../repository/media/put-to-node.ts';
import { JobFailure, JobOver } from './job-failure.ts';
import type { JobServices } from './job-planner.ts';
import { hasFileOfPerson } from './made-by-person.ts';
import type { DerivativeAction } from './rules.ts';
import type { Derivative } from './run-job.ts';

export interface StoreParts extends PutParts {
  readonly services: JobServices;
  /** Maximum size of a file; undefined for no limit. */
  readonly maxUploadBytes: number | undefined;
}

/** Matches `/node/1/media/image/2` in an absolute address. */
const DESTINATION = /\/node\/(\d+)\/media\/([^/]+)\/(\d+)$/;

/**
 * Streams a derivative to the destination in its event, as a PUT of the acting user does, and runs `finish` in the
 * transaction that stores it. Returns the number of bytes. Throws JobOver for a deleted node and in the place of a
 * person's file, JobFailure for an empty answer and for a user without permission, a failed guard for a job with a lost lease, and the errors of storing.
 */
export async function storeDerivative(
  parts: StoreParts,
  { job, action, content, user, answer, signal }: Derivative<Actor>,
  finish: InStatement[],
): Promise<number> {
  const { services, findContent, maxUploadBytes } = parts;
  const [, nodeId, mediaType = '', termId] = DESTINATION.exec(content.destination_uri) ?? [];
  const node = await findContent('node', Number(nodeId));
  if (node === undefined) throw new JobOver('The node was deleted.');
  const type = services.model.mediaTypes.get(mediaType);
  // The term is known as a rule, without a query.
  const known = await services.derivatives.terms.first(action.derivativeTerm);
  const hasTerm = known?.id === Number(termId) || (await findContent('taxonomy_term', Number(termId))) !== undefined;
  if (type === undefined || !hasTerm) {
    const missing = type === undefined ? `media type ${mediaType}` : `taxonomy term ${termId}`;
    throw new JobFailure('permanent', `The derivative cannot be stored: the ${missing} no longer exists.`);
  }
  // A user who may create such media may also request them.
  if (!attachAccess(user, node.head).isAllowed && !mediaAccess.create(atNode(user, node.head), type.name).isAllowed)
    throw new JobFailure('permanent', `The user of this job, ${user.name}, may not add media to the node.`);
  const attachment = { nodeId: node.head.id, termId: Number(termId), type };
  if (await hasFileOfPerson(services.database, attachment))
    throw new JobOver('The node has a file of a person in this place: it is kept.');
  let bytes = 0;
  await putToNode(parts, {
    actor: user,
    attachment,
    filemime: answer.mediaType,
    destination() {
      const destination = parseDestination(services, content.file_upload_uri);
      checkExtension(destination.filename, attachableSourceOf(type).fileExtensions);
      return destination;
    },
    async receive(store) {
      const { declaredBytes } = answer;
      const ingested = await ingest(store, {
        body: limitBody(answer, action),
        declaredBytes,
        digests: [],
        maxBytes: maxUploadBytes,
        signal,
        // The time limit of the call applies; some commands write nothing for a long time.
        maxSilenceMs: action.timeoutSeconds * 1_000,
        isNoImage: type.source !== 'image' && !answer.mediaType.startsWith('image/'),
      });
      bytes = ingested.staged.bytes;
      if (bytes > 0) return ingested;
      await ingested.staged.discard();
      throw new JobFailure('permanent', 'The processor answered with an empty file.');
    },
    check: (media) => refuseOriginal(media, action),
    gone: () => new JobOver('The node or its media was deleted.'),
    before: finish,
    chain: [...job.chain, action.name],
  });
  return bytes;
}

/** Returns the body of an answer. Throws JobFailure beyond the `maxBytes` of its rule, at once if declared longer. */
async function* limitBody(
  { body, declaredBytes = 0 }: Derivative<Actor>['answer'],
  { name, maxBytes = Number.POSITIVE_INFINITY }: DerivativeAction,
): AsyncGenerator<Uint8Array> {
  const requireWithin = (bytes: number) => {
    if (bytes <= maxBytes) return;
    const message = `The derivative is larger than the ${maxBytes} bytes of maxBytes in the rule ${name}.`;
    throw new JobFailure('permanent', message);
  };
  requireWithin(declaredBytes);
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    requireWithin(bytes);
    yield chunk;
  }
}

/**
 * Throws JobOver if an action whose results are originals would replace another original, which is irreplaceable. Its own
 * results are recognized by the beginning of its path.
 */
function refuseOriginal(media: Content, { derivativeTerm, sourceTerm, scheme, path }: DerivativeAction): void {
  if (derivativeTerm !== sourceTerm) return;
  const { name } = (media.bundle as MediaType).sourceField;
  const address = parseDocument(media).members[name]?.[0]?.url;
  const beginning = filePath(`${scheme}://${path.slice(0, path.indexOf('['))}`);
  // A derivative whose source has changed has lost its file.
  if (address === undefined || (typeof address === 'string' && address.startsWith(beginning))) return;
  throw new JobOver('The node already has an original of this type that this action did not make: it is kept.');
}
