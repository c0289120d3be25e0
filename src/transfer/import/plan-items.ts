import { stringify } from 'csv-stringify/sync';
import { findTermsByUri } from '../../repository/content/lists/lists.ts';
import { extensionOf, mediaTypeOf } from '../../repository/media/media-type-of.ts';
import type { PackageFile } from '../files/package.ts';
import { CHECKSUM, FILE, ID, PARENT } from '../table/columns.ts';
import type { LoadContext } from '../table/table-options.ts';

const MODEL = 'field_model';
const WEIGHT = 'field_weight';
const COLUMNS = [ID, PARENT, 'title', MODEL, FILE, CHECKSUM, WEIGHT];
const MAX_TITLE_CHARS = 255;

/** The items that plain files become, as a table that an import loads. */
export interface ItemPlan {
  /** The table as text. */
  readonly table: string;
  readonly items: number;
  readonly files: number;
  readonly bytes: number;
  /** The paths of files that no media type accepts. */
  readonly leftOut: readonly string[];
}

interface PlanOptions {
  /** True if each folder becomes an item with its files as members. False: each file becomes an item. */
  readonly foldersAsItems: boolean;
}

type Row = Readonly<Record<string, string>>;

/** Plans items for files by path, in the natural order of their paths. Changes nothing in the repository. */
export async function planItems(
  context: LoadContext,
  files: ReadonlyMap<string, PackageFile>,
  { foldersAsItems }: PlanOptions,
): Promise<ItemPlan> {
  const { model } = context.services;
  const order = new Intl.Collator('en', { numeric: true });
  const paths = [...files.keys()].sort(order.compare);
  const models = new ModelNames(context);
  const rows: Row[] = [];
  const parents = new Map<string, { readonly id: string; members: number }>();
  const leftOut: string[] = [];
  let bytes = 0;
  for (const path of paths) {
    const [folder, name] = partsOf(path);
    const type = mediaTypeOf(model, name);
    const file = files.get(path);
    if (type === undefined || file === undefined) {
      leftOut.push(path);
      continue;
    }
    bytes += file.bytes;
    const parent = foldersAsItems && folder !== '' ? await parentOf(folder) : undefined;
    if (parent !== undefined) parent.members += 1;
    rows.push({
      [ID]: nextId(),
      [PARENT]: parent?.id ?? '',
      title: titleOf(name),
      [MODEL]: await models.of(model.models.uriForFile(type.name, extensionOf(name))),
      [FILE]: path,
      [CHECKSUM]: file.sha256 ?? '',
      [WEIGHT]: parent === undefined ? '' : String(parent.members),
    });
  }
  const table = stringify(rows, { header: true, columns: COLUMNS });
  return { table, items: rows.length, files: rows.length - parents.size, bytes, leftOut };

  function nextId(): string {
    return String(rows.length + 1);
  }

  /** Returns the item of a folder, whose row stands before those of its members. */
  async function parentOf(folder: string): Promise<{ readonly id: string; members: number }> {
    const known = parents.get(folder);
    if (known !== undefined) return known;
    const parent = { id: nextId(), members: 0 };
    parents.set(folder, parent);
    const [uri] = model.models.urisOf('compound');
    rows.push({ [ID]: parent.id, title: clipped(folder), [MODEL]: await models.of(uri) });
    return parent;
  }
}

/** The cells that name models: the name of the term, or its URI if no term has it. */
class ModelNames {
  readonly #names = new Map<string, string>();

  constructor(readonly context: LoadContext) {}

  async of(uri: string | undefined): Promise<string> {
    if (uri === undefined) return '';
    const known = this.#names.get(uri);
    if (known !== undefined) return known;
    const { services, kinds } = this.context;
    const [term] = await findTermsByUri(services, kinds.taxonomy_term, 'field_external_uri', uri);
    const document = term && (JSON.parse(term.document) as { readonly name?: readonly { readonly value: string }[] });
    const name = document?.name?.[0]?.value ?? uri;
    this.#names.set(uri, name);
    return name;
  }
}

/** Returns the folder of a path, empty for none, and the name in it. */
function partsOf(path: string): [folder: string, name: string] {
  const slash = path.lastIndexOf('/');
  return [slash < 0 ? '' : path.slice(0, slash), path.slice(slash + 1)];
}

/** Returns the title for a file: its name without the extension. */
function titleOf(name: string): string {
  const dot = name.lastIndexOf('.');
  return clipped(dot > 0 ? name.slice(0, dot) : name);
}

function clipped(text: string): string {
  return [...text].slice(0, MAX_TITLE_CHARS).join('');
}
