import { type CellFault, shown } from '../../field-types/cell.ts';
import type { FieldDefinition, Item, MediaType } from '../../model/content-model.ts';
import { mediaAccess } from '../../repository/access.ts';
import { ADDITIONAL_FILES, ALT_TEXT, CHECKSUM, type Columns, FILE, MEDIA_USE } from './columns.ts';
import type { FindFile, FoundFile } from './find-files.ts';
import { mediaTypeOf } from './media-type-of.ts';
import type { PlannedFile } from './row-plan.ts';
import { faulty, fingerprintOf, isFault } from './row-plan.ts';
import type { LoadContext, TableOptions } from './table-options.ts';
import type { TermValues } from './term-value.ts';

/** What a row's files come to, by column. */
export type FileOutcome = PlannedFile | (CellFault & { readonly column: string });

/** Plans the files of rows. */
export interface FilePlans {
  /** Whether a row says anything of files. */
  hasAny(cells: ReadonlyMap<string, string>): boolean;
  /** `ofNode` is what is said of the node that holds for its media too. */
  plan(cells: ReadonlyMap<string, string>, ofNode: Readonly<Record<string, Item[]>>): Promise<FileOutcome[]>;
}

export interface FilePlanOptions extends Pick<TableOptions, 'subdelimiter'> {
  /** Undefined without a folder of files that can be used. */
  readonly find: FindFile | undefined;
  /** Whether a table that names files is to be told of a folder. */
  readonly asksForFolder: boolean;
  /** Whether files are compared with what the table says of their bytes. */
  readonly verifies: boolean;
  /** Breaks off the comparing, which may take long. */
  readonly signal: AbortSignal | undefined;
}

/** A file that a cell names. */
interface Named {
  readonly column: string;
  readonly part: string;
  readonly use: string;
  readonly path: string;
  readonly alt?: string | undefined;
  readonly sha256?: string | undefined;
}

export const ORIGINAL_FILE = 'http://pcdm.org/use#OriginalFile';
const SHA256 = /^[0-9a-f]{64}$/i;

export function createFilePlans(
  { services, actor }: LoadContext,
  terms: TermValues,
  columns: Columns,
  { subdelimiter, find, asksForFolder, verifies, signal }: FilePlanOptions,
): FilePlans {
  let asks = asksForFolder;
  let hashed: Promise<unknown> = Promise.resolve();

  /** One file after the other: together they would not be read any faster, and each is open meanwhile. */
  function hashNext(path: string): Promise<string> {
    const hash = hashed.then(() => hashOf(path, signal));
    // Whoever asked is told why it failed; the next file has nothing to do with it.
    hashed = hash.catch(() => undefined);
    return hash;
  }

  /** Without a folder, each file of a table would be the same problem. */
  function foundOrNot(path: string): Promise<FoundFile | CellFault | undefined> {
    if (find) return find(path);
    const isTold = !asks;
    asks = false;
    return Promise.resolve(
      isTold ? undefined : faulty('The table names files: say where they are with --files FOLDER.'),
    );
  }

  async function additional(cell: string, definition: FieldDefinition): Promise<(Named | CellFault)[]> {
    const parts = partsOf(cell);
    return Promise.all(
      parts.map(async (text, index) => {
        const part = parts.length === 1 ? ADDITIONAL_FILES : `${ADDITIONAL_FILES} ${index + 1}`;
        for (let at = text.lastIndexOf(':'); at > 0; at = text.lastIndexOf(':', at - 1)) {
          const use = text.slice(0, at).trim();
          // Where a use is a URI, its first colon ends nothing.
          if (isFault(await terms.read(use, definition, false))) continue;
          const path = text.slice(at + 1).trim();
          if (path === '') return faulty(`${shown(text)} names no file after its use.`);
          return { column: ADDITIONAL_FILES, part, use, path };
        }
        return faulty(
          `${shown(text)} is not of the form USE:FILE, as in "Transcript:texts/12.txt", with a term of media use.`,
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

  async function planned(named: Named, ofNode: Readonly<Record<string, Item[]>>): Promise<FileOutcome | undefined> {
    const { column, part, use, path, alt, sha256 } = named;
    const inColumn = (fault: string) => ({ column, fault });
    const found = await foundOrNot(path);
    if (found === undefined) return undefined;
    if ('fault' in found) return inColumn(found.fault);
    const type = mediaTypeOf(services.model, found.name);
    if ('fault' in type) return inColumn(type.fault);
    const reason = whyNotMade(type, found, alt);
    if (reason !== undefined) return inColumn(reason);
    const term = await terms.read(use, useField(type), false);
    if (isFault(term)) return { ...term, column: column === FILE ? MEDIA_USE : column };
    if (
      verifies &&
      sha256 !== undefined &&
      SHA256.test(sha256) &&
      (await hashNext(found.path)) !== sha256.toLowerCase()
    )
      return { column: CHECKSUM, fault: `The bytes of ${shown(path)} have another SHA-256.` };
    const values: Record<string, Item[]> = { ...ofNode, name: [{ value: found.name }] };
    if (type.source === 'image') values[type.sourceField.name] = [{ alt: alt ?? found.name }];
    const useTermId = Number(term.item.target_id);
    const fingerprint = fingerprintOf([found.name, found.bytes, type.name, useTermId, values, sha256 ?? null]);
    return { part, ...found, sha256: sha256?.toLowerCase(), mediaType: type, useTermId, values, fingerprint };
  }

  function whyNotMade(type: MediaType, { name, bytes }: FoundFile, alt: string | undefined): string | undefined {
    const access = mediaAccess.create(actor, type.name);
    if (!access.isAllowed) return `${actor.name} may not make ${type.name} media. ${access.reason}`;
    const { maxFileBytes } = type.sourceField;
    if (maxFileBytes !== undefined && bytes > maxFileBytes)
      return `${shown(name)} has ${bytes} bytes, and ${type.name} media take ${maxFileBytes} at most.`;
    if (alt !== undefined && type.source !== 'image')
      return `${shown(name)} becomes ${type.name} media, which has no alternative text: leave ${ALT_TEXT} empty.`;
    const given = new Set([type.sourceField.name, 'field_media_of', 'field_media_use', ...type.autoFilled.values()]);
    const missing = type.fields.find(
      (field) => field.required && field.defaultValue.length === 0 && !given.has(field.name),
    );
    return missing && `${type.name} media need a value of ${missing.name}, which a table cannot give.`;
  }

  function useField(type: MediaType): FieldDefinition {
    return type.fieldNamed.get('field_media_use') as FieldDefinition;
  }

  /** The field whose terms say what a file is for, whatever the type of its media will be. */
  const anyUseField = [...services.model.mediaTypes.values()].flatMap(
    ({ fieldNamed }) => fieldNamed.get('field_media_use') ?? [],
  )[0];

  const fileColumns = [...columns.ofFiles];

  return {
    hasAny: (cells) => fileColumns.some((column) => cells.has(column)),
    async plan(cells, ofNode) {
      const outcomes: FileOutcome[] = [];
      const named: Named[] = [];
      const file = cells.get(FILE)?.trim();
      const sha256 = cells.get(CHECKSUM)?.trim();
      if (file !== undefined)
        named.push({
          column: FILE,
          part: FILE,
          use: cells.get(MEDIA_USE)?.trim() ?? ORIGINAL_FILE,
          path: file,
          alt: cells.get(ALT_TEXT),
          sha256,
        });
      else
        for (const column of [ALT_TEXT, CHECKSUM, MEDIA_USE])
          if (cells.has(column)) outcomes.push({ column, fault: `The row has no ${FILE} that it could be of.` });
      if (sha256 !== undefined && !SHA256.test(sha256))
        outcomes.push({ column: CHECKSUM, fault: `${shown(sha256)} is no SHA-256 in hexadecimal: it has 64 digits.` });
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
      const planning = await Promise.all(named.map((each) => planned(each, ofNode)));
      return [...outcomes, ...planning.flatMap((each) => each ?? [])];
    },
  };
}

async function hashOf(path: string, signal: AbortSignal | undefined): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of Bun.file(path).stream()) {
    signal?.throwIfAborted();
    hasher.update(chunk);
  }
  return hasher.digest('hex');
}
