import { cellText } from '../../field-types/cell.ts';
import type { FieldType, FieldTypes } from '../../field-types/field-type.ts';
import type { FieldDefinition, FieldValues, Item } from '../../model/content-model.ts';
import { ACCESS_RULE, ruleItems } from '../../repository/access/rule-items.ts';
import type { ParsedContent } from '../../repository/content/content.ts';
import { entityTarget } from '../../repository/content/referring-fields.ts';
import { MEMBER_OF } from '../../repository/relations.ts';
import { CONTENT_TYPE, ID, PARENT } from '../table/columns.ts';
import type { ExportTally } from './export-report.ts';
import type { TermCells } from './term-cells.ts';

/** The options of cells, and facts of the whole table. */
interface CellOptions {
  readonly subdelimiter: string;
  readonly fieldTypes: FieldTypes;
  readonly terms: TermCells;
  readonly tally: ExportTally;
  /** True to leave the cell of a field empty if one of its values contains the subdelimiter (default: a problem of the table). */
  readonly omitsDivided?: boolean;
  /** Returns true if the table has a row for a node. */
  readonly isInTable: (nodeId: number) => boolean;
  readonly ownerName: (userId: number) => string | undefined;
  /** Returns true if the actor may read the access rule of a node. */
  readonly readsRule: (head: ParsedContent['head']) => boolean;
}

/** Members of items that responses add and writes ignore. */
const ADDED = ['target_type', 'target_uuid', 'url'];

const ACCESS_RULE_TYPE = { type: ACCESS_RULE };

/** Returns the non-empty cells of a node, by column. */
export function nodeCells(node: ParsedContent, options: CellOptions): Map<string, string> {
  const { head, bundle, members } = node;
  const { ownerName, isInTable, tally, fieldTypes, readsRule } = options;
  const cells = new Map<string, string>([
    [ID, String(head.id)],
    [CONTENT_TYPE, bundle.name],
    ['title', first(members, 'title')],
    ['published', first(members, 'status')],
    ['promote', first(members, 'promote')],
    ['sticky', first(members, 'sticky')],
    ['created', first(members, 'created')],
    ['uid', ownerName(head.ownerId) ?? ''],
    ['langcode', first(members, 'langcode')],
    ['url_alias', head.alias ?? ''],
  ]);
  for (const [column, cell] of cells) if (column !== 'title') requireUndivided(head.id, column, cell, options);
  if (readsRule(head)) cells.set(ACCESS_RULE, jsonCell(ruleItems(head), fieldTypes.of(ACCESS_RULE_TYPE)));
  const parents = targetIds(members[MEMBER_OF] ?? []);
  const [parent] = parents;
  const hasParent = parents.length === 1 && parent !== undefined && isInTable(parent);
  if (hasParent) cells.set(PARENT, String(parent));
  else if (parents.some(isInTable)) tally.addLoss('nodes that are members of several nodes: referenced by id');
  for (const field of bundle.fields) {
    if (hasParent && field.name === MEMBER_OF) continue;
    const items = members[field.name] ?? [];
    if (items.length > 0) cells.set(field.name, fieldCell(head.id, items, field, options));
  }
  return cells;
}

/** Returns the ids of the targets of items. */
export function targetIds(items: readonly Item[]): number[] {
  return items.flatMap(({ target_id }) => (typeof target_id === 'number' ? [target_id] : []));
}

function first(members: FieldValues, name: string): string {
  return cellText(members[name]?.[0]?.value);
}

function fieldCell(nodeId: number, items: readonly Item[], field: FieldDefinition, options: CellOptions): string {
  const { tally, fieldTypes } = options;
  if (field.targetType === 'paragraph' && items.length > 0)
    tally.addLoss(`paragraphs in ${field.name}: referenced by id, and not copied`);
  const type = fieldTypes.of(field);
  if (type.isJsonInCells) return jsonCell(items, type);
  const values = items.map((item) => valueCell(item, field, options));
  if (options.omitsDivided && values.some((value) => value.includes(options.subdelimiter))) {
    tally.addLoss(`values of ${field.name} with ${options.subdelimiter}: their cells are empty, which changes nothing`);
    return '';
  }
  for (const value of values) requireUndivided(nodeId, field.name, value, options);
  return values.join(options.subdelimiter);
}

/** Reports a value that contains the subdelimiter: an import would split it. Titles are never split. */
function requireUndivided(nodeId: number, column: string, value: string, { subdelimiter, tally }: CellOptions): void {
  if (!value.includes(subdelimiter)) return;
  const problem = `${column}: the value ${JSON.stringify(cut(value))} contains the subdelimiter`;
  tally.addProblem(nodeId, `${problem} ${JSON.stringify(subdelimiter)}. Choose another with --subdelimiter.`, true);
}

function valueCell(item: Item, field: FieldDefinition, { terms, tally, fieldTypes }: CellOptions): string {
  const type = entityTarget(field);
  const fieldType = fieldTypes.of(field);
  if (type === undefined) {
    for (const loss of fieldType.cellLosses(item)) tally.addLoss(loss);
    const cell = fieldType.writeCell(item);
    if (cell !== '' && cell.trim() === '') tally.addLoss('values of only spaces: an import ignores them');
    return cell;
  }
  const id = Number(item.target_id);
  const term = type === 'taxonomy_term' ? terms.cell(id, field) : undefined;
  if (term?.isById) tally.addLoss('references to terms without a unique name: by id');
  if (type !== 'taxonomy_term') tally.addLoss(`references to a ${type} in ${field.name}: by id`);
  return targetText(item, field, { terms, fieldTypes });
}

type CellParts = Pick<CellOptions, 'terms' | 'fieldTypes'>;

function targetText(item: Item, field: FieldDefinition, { terms, fieldTypes }: CellParts): string {
  const id = Number(item.target_id);
  const term = entityTarget(field) === 'taxonomy_term' ? terms.cell(id, field) : undefined;
  return fieldTypes.of(field).cellTarget.write(item, term?.text ?? String(id));
}

/** Returns the cell of a field as a table has it, without a report of what it cannot hold. */
export function cellOfField(
  items: readonly Item[],
  field: FieldDefinition,
  { subdelimiter, ...parts }: CellParts & Pick<CellOptions, 'subdelimiter'>,
): string {
  const type = parts.fieldTypes.of(field);
  if (type.isJsonInCells) return jsonCell(items, type);
  const isReference = entityTarget(field) !== undefined;
  return items.map((item) => (isReference ? targetText(item, field, parts) : type.writeCell(item))).join(subdelimiter);
}

/** Returns the items of a field as JSON, or as the plain text of the only member that they have. */
function jsonCell(items: readonly Item[], { shortCell }: FieldType): string {
  const [item] = items;
  if (item === undefined) return '';
  const isShort =
    items.length === 1 && shortCell !== undefined && Object.keys(item).every((name) => name === shortCell);
  return isShort ? String(item[shortCell]) : JSON.stringify(items.map(withoutAdded));
}

/** Returns an item without the members that responses add to references. */
function withoutAdded(item: Item): Item {
  if (!('target_id' in item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([name]) => !ADDED.includes(name)));
}

function cut(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
