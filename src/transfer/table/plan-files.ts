import { type CellFault, shown } from '../../field-types/cell.ts';
import type { FieldDefinition, Item, MediaType } from '../../model/content-model.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { mediaAccess, nodeAccess } from '../../repository/access.ts';
import { extensionOf, mediaTypeOf } from '../../repository/media/media-type-of.ts';
import { MEDIA_OF } from '../../repository/relations.ts';
import { createDownloads } from '../files/downloads.ts';
import { TransferFailure } from '../files/request-file.ts';
import { ADDITIONAL_FILES, ALT_TEXT, CHECKSUM, type Columns, FILE, MEDIA_USE } from './columns.ts';
import type { FindFile } from './find-files.ts';
import type { FileSource, PlannedFile } from './row-plan.ts';
import { faulty, fingerprintOf, isFault } from './row-plan.ts';
import type { LoadContext, TableOptions } from './table-options.ts';
import type { TermValues } from './term-value.ts';

/** A planned file of a row, or the fault of its column. */
export type FileOutcome = PlannedFile | (CellFault & { readonly column: string });

/** Plans the files of rows. */
interface FilePlans {
  /** Returns true if a row has cells about files. */
  hasAny(cells: ReadonlyMap<string, string>): boolean;
  /** Plans the files of a row. `ofNode` are the values of the node that also apply to its media. */
  plan(
    cells: ReadonlyMap<string, string>,
    nodeType: string,
    ofNode: Readonly<Record<string, Item[]>>,
  ): Promise<FileOutcome[]>;
}

interface FilePlanOptions extends Pick<TableOptions, 'subdelimiter' | 'downloads'> {
  /** Undefined without a readable folder of files. */
  readonly find: FindFile | undefined;
  /** True if a table that names files gets a problem because `--files` is missing. */
  readonly asksForFolder: boolean;
  /** True if files are compared with the checksums in the table, and servers asked for the files at addresses. */
  readonly verifies: boolean;
  /** Aborts the comparison. */
  readonly signal: AbortSignal | undefined;
}

/** A file that a cell names. */
interface CellFile {
  readonly column: string;
  readonly part: string;
  readonly use: string;
  readonly path: string;
  readonly alt?: string | undefined;
  readonly sha256?: string | undefined;
}

const SHA256 = /^[0-9a-f]{64}$/i;
const ADDRESS = /^[a-z][a-z0-9+.-]+:\/\//i;

/** A file with its name. */
interface NamedSource {
  readonly name: string;
  readonly source: FileSource;
}

const NO_DOWNLOADS = createDownloads({ allowedSources: [], maxDownloads: 1 });
const NEVER = new AbortController().signal;

export function createFilePlans(
  { services, actor }: LoadContext,
  terms: TermValues,
  columns: Columns,
  { subdelimiter, downloads, find, asksForFolder, verifies, signal }: FilePlanOptions,
): FilePlans {
  let asks = asksForFolder;
  const from = downloads ?? NO_DOWNLOADS;
  let hashed: Promise<unknown> = Promise.resolve();

  /** Hashes one file at a time, to limit open files. Concurrent reads are no faster. */
  function hashNext(path: string): Promise<string> {
    const hash = hashed.then(() => hashOf(path, signal));
    // Only the caller gets the error, and not the hash of the next file.
    hashed = hash.catch(() => undefined);
    return hash;
  }

  /** Finds a file. Without a folder, reports only the first file of the table. */
  async function foundOrNot(path: string): Promise<NamedSource | CellFault | undefined> {
    if (ADDRESS.test(path)) return remote(path);
    const file = await find?.(path);
    if (file !== undefined) return 'fault' in file ? file : { name: file.name, source: file };
    const isReported = !asks;
    asks = false;
    return isReported ? undefined : faulty('The table names files. Add their folder: --files FOLDER.');
  }

  async function remote(text: string): Promise<NamedSource | CellFault> {
    try {
      const file = from.parse(text);
      const bytes = verifies ? await from.measure(file, signal ?? NEVER) : undefined;
      return { name: file.name, source: { remote: file, from, bytes } };
    } catch (error) {
      if (error instanceof RangeError) return faulty(`${shown(text)} ${error.message}`);
      if (error instanceof TransferFailure) return faulty(`${shown(text)} cannot be fetched: ${error.message}.`);
      throw error;
    }
  }

  async function additional(cell: string, definition: FieldDefinition): Promise<(CellFile | CellFault)[]> {
    const parts = partsOf(cell);
    return Promise.all(
      parts.map(async (text, index) => {
        const part = parts.length === 1 ? ADDITIONAL_FILES : `${ADDITIONAL_FILES} ${index + 1}`;
        for (let at = text.lastIndexOf(':'); at > 0; at = text.lastIndexOf(':', at - 1)) {
          const use = text.slice(0, at).trim();
          // A use may be a URI, which has a colon itself.
          if (isFault(await terms.read(use, definition, false))) continue;
          const path = text.slice(at + 1).trim();
          if (path === '') return faulty(`${shown(text)} lacks a file after its media use.`);
          return { column: ADDITIONAL_FILES, part, use, path };
        }
        return faulty(
          `${shown(text)} must have the form USE:FILE, such as "Transcript:texts/12.txt", with a term of media use.`,
        );
      }),
    );
  }

  function partsOf(cell: string): string[] {
    return cell
      .split(subdelimiter)
      .map((part) => part.trim())
      .filter((part) => part !== '');
  }

  async function planned(
    named: CellFile,
    nodeType: string,
    ofNode: Readonly<Record<string, Item[]>>,
  ): Promise<FileOutcome | undefined> {
    const { column, part, use, path, alt, sha256 } = named;
    const inColumn = (fault: string) => ({ column, fault });
    const file = await foundOrNot(path);
    if (file === undefined) return undefined;
    if ('fault' in file) return inColumn(file.fault);
    const { name, source } = file;
    const type = mediaTypeOf(services.model, name);
    if (type === undefined) return inColumn(noType(name));
    const reason = whyNotAdded(nodeType, ofNode) ?? whyNotMade(type, file, alt);
    if (reason !== undefined) return inColumn(reason);
    const term = await terms.read(use, useField(type), false);
    if (isFault(term)) return { ...term, column: column === FILE ? MEDIA_USE : column };
    const isCompared = verifies && 'path' in source && sha256 !== undefined && SHA256.test(sha256);
    if (isCompared && (await hashNext(source.path)) !== sha256.toLowerCase())
      return { column: CHECKSUM, fault: `The SHA-256 of ${shown(path)} differs.` };
    const values: Record<string, Item[]> = { ...ofNode, name: [{ value: name }] };
    if (type.source === 'image') values[type.sourceField.name] = [{ alt: alt ?? name }];
    const useTermId = Number(term.item.target_id);
    const identity = 'path' in source ? source.bytes : source.remote.address.href;
    const fingerprint = fingerprintOf([name, identity, type.name, useTermId, values, sha256 ?? null]);
    return { part, name, source, sha256: sha256?.toLowerCase(), mediaType: type, useTermId, values, fingerprint };
  }

  /** Files are added to a node with the right to update it, as over HTTP. */
  function whyNotAdded(bundle: string, { uid, status }: Readonly<Record<string, Item[]>>): string | undefined {
    const ownerId = Number(uid?.[0]?.target_id ?? actor.id);
    const facts = { bundle, ownerId, status: status?.[0]?.value !== false, accessSet: 0 };
    const access = nodeAccess.update(actor, facts);
    return access.isAllowed ? undefined : `The user ${actor.name} may not add files to this item. ${access.reason}`;
  }

  function whyNotMade(
    type: MediaType,
    { name, source: { bytes } }: NamedSource,
    alt: string | undefined,
  ): string | undefined {
    const access = mediaAccess.create(actor, type.name);
    if (!access.isAllowed) return `The user ${actor.name} may not create ${type.name} media. ${access.reason}`;
    const { maxFileBytes } = type.sourceField;
    if (maxFileBytes !== undefined && bytes !== undefined && bytes > maxFileBytes)
      return `${shown(name)} has ${bytes} bytes; ${type.name} media have at most ${maxFileBytes}.`;
    if (alt !== undefined && type.source !== 'image')
      return `${shown(name)} becomes ${type.name} media, which have no alternative text. Leave ${ALT_TEXT} empty.`;
    const given = new Set([type.sourceField.name, MEDIA_OF, 'field_media_use', ...type.autoFilled.values()]);
    const missing = type.fields.find(
      (field) => field.required && field.defaultValue.length === 0 && !given.has(field.name),
    );
    return missing && `${type.name} media require ${missing.name}, which a table cannot set.`;
  }

  function useField(type: MediaType): FieldDefinition {
    return type.fieldNamed.get('field_media_use') as FieldDefinition;
  }

  /** A field of media use, to read uses before the media type of a file is known. */
  const anyUseField = [...services.model.mediaTypes.values()].flatMap(
    ({ fieldNamed }) => fieldNamed.get('field_media_use') ?? [],
  )[0];

  const fileColumns = [...columns.ofFiles];

  return {
    hasAny: (cells) => fileColumns.some((column) => cells.has(column)),
    async plan(cells, nodeType, ofNode) {
      const outcomes: FileOutcome[] = [];
      const named: CellFile[] = [];
      const file = cells.get(FILE)?.trim();
      const sha256 = cells.get(CHECKSUM)?.trim();
      if (file !== undefined)
        named.push({
          column: FILE,
          part: FILE,
          use: cells.get(MEDIA_USE)?.trim() ?? MEDIA_USE_URI.original,
          path: file,
          alt: cells.get(ALT_TEXT),
          sha256,
        });
      else
        for (const column of [ALT_TEXT, CHECKSUM, MEDIA_USE])
          if (cells.has(column)) outcomes.push({ column, fault: `The row has no ${FILE} for it.` });
      if (sha256 !== undefined && !SHA256.test(sha256))
        outcomes.push({ column: CHECKSUM, fault: `${shown(sha256)} is no SHA-256, which has 64 hexadecimal digits.` });
      const more = cells.get(ADDITIONAL_FILES);
      if (more !== undefined && anyUseField)
        for (const each of await additional(more, anyUseField))
          if ('fault' in each) outcomes.push({ column: ADDITIONAL_FILES, fault: each.fault });
          else named.push(each);
      for (const [column, use] of columns.uses) {
        const parts = partsOf(cells.get(column) ?? '');
        for (const [index, path] of parts.entries())
          named.push({ column, part: parts.length === 1 ? column : `${column} ${index + 1}`, use, path });
      }
      const planning = await Promise.all(named.map((each) => planned(each, nodeType, ofNode)));
      return [...outcomes, ...planning.flatMap((each) => each ?? [])];
    },
  };
}

function noType(name: string): string {
  const extension = extensionOf(name);
  return `No media type accepts ${extension === '' ? shown(name) : `.${extension} files`}.`;
}

async function hashOf(path: string, signal: AbortSignal | undefined): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(path).stream()) {
    signal?.throwIfAborted();
    hasher.update(chunk);
  }
  return hasher.digest('hex');
}
