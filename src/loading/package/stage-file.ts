import type { InStatement } from '@libsql/client';
import { ServiceError } from '../../base/errors.ts';
import type { Target } from '../../repository/content/targets.ts';
import { insertFile, type NewFile, targetOf } from '../../repository/files/file-rows.ts';
import { freeUri } from '../../repository/files/free-uri.ts';
import { type Ingested, ingest } from '../../repository/files/ingest.ts';
import type { LoadContext } from '../table/table-options.ts';
import type { FileFacts } from './file-facts.ts';
import type { Here } from './known-here.ts';

/** A file whose bytes are stored, whole and durable, and which no row names yet. */
export interface StagedFile {
  readonly id: number;
  readonly facts: FileFacts;
  readonly ingested: Ingested;
}

/** Bytes of a package that are not what their record says. */
export class WrongBytesError extends Error {
  override readonly name = 'WrongBytesError';
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** Takes the bytes of a file into the store. Throws WrongBytesError, and what reading the package throws; nothing is left then. */
export async function stageFile({ services }: LoadContext, facts: FileFacts, signal: AbortSignal): Promise<StagedFile> {
  const { store, content, sha256, filesize } = facts;
  const upload = { body: content.file.open(), declaredBytes: undefined, digests: [], maxBytes: filesize, signal };
  let ingested: Ingested;
  try {
    ingested = await ingest(store, upload);
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'too-large')
      throw new WrongBytesError(content.path, `It has more bytes than the ${filesize} of its record.`);
    // To whoever reads a package, what is wrong with it is no client that has gone.
    if (error instanceof ServiceError && error.kind === 'client-gone' && error.cause !== undefined) throw error.cause;
    throw error;
  }
  if (ingested.staged.sha256 !== sha256) {
    await ingested.staged.discard();
    throw new WrongBytesError(
      content.path,
      `Its bytes have the SHA-256 ${ingested.staged.sha256}; its record says ${sha256}.`,
    );
  }
  return { id: await services.fileIds(), facts, ingested };
}

/** A file as it is written and referred to, under an address that is free. */
export interface NamedFile {
  readonly statements: readonly InStatement[];
  readonly target: Target;
}

/** Finds addresses for files: their own, else numbered ones. `attempt` counts from 1: someone may be faster. */
export async function nameFiles(
  { services, actor }: LoadContext,
  staged: readonly StagedFile[],
  here: Here,
  attempt: number,
): Promise<NamedFile[]> {
  const named: NamedFile[] = [];
  for (const { id, facts, ingested } of staged) {
    const { uuid, langcode, filename, filemime, created, changed, owner } = facts;
    const first = attempt === 1 ? -1 : Math.floor(Math.random() * 2 ** attempt);
    const uri = await freeUri(services.database, facts.uri, first);
    const file: NewFile = { id, uuid, uri, filename, filemime, ingested };
    const ownerId = ((owner && here.get('user', owner)) || actor).id;
    named.push({
      statements: [
        insertFile(services, actor, file, true),
        {
          sql: 'UPDATE file SET langcode = ?, owner_id = ?, created = ?, changed = ? WHERE id = ?',
          args: [langcode, ownerId, created, changed, id],
        },
      ],
      target: targetOf(actor, file),
    });
  }
  return named;
}
