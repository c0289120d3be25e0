import { Command, InvalidArgumentError, Option } from 'commander';
import { countInWords, numberText } from '../base/in-words.ts';
import { entityPath } from '../paths.ts';
import {
  type FoundPage,
  MAX_SIZE,
  type SearchItem,
  type SearchResult,
  SORT_ORDERS,
  type SortOrder,
} from '../search/search-types.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import type { ExitCode } from './attempt.ts';
import { parseCount } from './parse-value.ts';
import { reindexCommand } from './search-reindex.ts';
import { type SettingFlags, withSettings } from './settings.ts';
import { cut, plainLine } from './text.ts';
import { withRepository } from './with-repository.ts';

interface SearchFlags extends SettingFlags {
  filter?: Record<string, string[]>;
  sort: SortOrder;
  size: number;
  page: number;
  user?: string;
  json?: boolean;
}

/** The members of a node that `--json` prints beside its place in the result. */
interface Printed {
  readonly title: string;
  readonly isPublished: boolean;
  readonly url: string;
}

/** A result as `--json` prints it. */
interface PrintedItem extends SearchItem, Printed {
  readonly pages: readonly (FoundPage & Printed)[];
}

const DEFAULT_SIZE = 10;
const MAX_COLUMNS = 100;
const [BOLD, PLAIN] = ['\x1b[1m', '\x1b[0m'];

const AFTER = `
The words are those of the search page: phrases in quotes, prefix*, -without, OR, title:, subject:, creator:, identifier:,
1890..1930. Values of filters are those of --json. It works while the repository runs.

Examples:
  repo search harbour fire
  repo search '"harbour fire" -regatta 1890..1930' --sort date
  repo search harbour --filter collection=12 --json`;

/** Creates `repo search`, which prints results, with its subcommands. */
export function searchCommand(finish: (code: ExitCode) => void): Command {
  const search = addSearch(new Command('search').description('search the content of the repository'), finish);
  // Options after the name of a subcommand are its own.
  return search.enablePositionalOptions().addCommand(reindexCommand(finish));
}

/** Adds words and options to `repo search`, which then prints results. */
function addSearch(command: Command, finish: (code: ExitCode) => void): Command {
  command
    .argument('[words...]', 'what to search for (default: everything)')
    .option('--filter <facet=value>', 'only nodes with this value of a facet; may be repeated', addFilter)
    .addOption(new Option('--sort <order>', 'order of the results').choices(SORT_ORDERS).default('relevance'))
    .option('--size <count>', `number of results, at most ${MAX_SIZE}`, parseCount, DEFAULT_SIZE)
    .option('--page <number>', 'page, from 1', parseCount, 1)
    .option('--user <name>', 'only what this user may view (default: the administrator)')
    .option('--json', 'print the results with their facets as JSON');
  return withSettings(command)
    .addHelpText('after', AFTER)
    .action(async (words: string[], flags: SearchFlags, self: Command) => {
      finish(await withRepository(flags, self, (repository) => print(repository, words.join(' '), flags)));
    });
}

function addFilter(text: string, filters: Record<string, string[]> = {}): Record<string, string[]> {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It must be a facet and a value, such as collection=12.');
  const values = Object.hasOwn(filters, name) ? filters[name] : undefined;
  return { ...filters, [name]: [...(values ?? []), value] };
}

async function print(repository: CommandRepository, text: string, flags: SearchFlags): Promise<void> {
  const { services, findUser, actorOf, baseUrl } = repository;
  const [{ createEngine }, { createSetup }, { searchNodes }, { findNodeLabels }] = await Promise.all([
    import('../search/engine/create-engine.ts'),
    import('../search/setup.ts'),
    import('../search/search-nodes.ts'),
    import('../search/engine/labels.ts'),
  ]);
  const actor = actorOf(await findUser(flags.user));
  const setup = createSetup(services.model);
  const search = createEngine(services.database, setup, { maxMs: Number.POSITIVE_INFINITY });
  const { filter = {}, sort, page, json = false } = flags;
  const size = Math.min(flags.size, MAX_SIZE);
  const query = { text, filters: filter, sort, size, page: page - 1, hasFacets: json, groupsPages: true };
  const result = await searchNodes({ search }, actor, query);
  const nids = result.items.flatMap(({ nid, pages }) => [nid, ...pages.map((each) => each.nid)]);
  const nodes = await findNodeLabels(services.database, setup, nids);
  const printed = <Item extends { readonly nid: number }>(item: Item): Item & Printed => {
    const { label = '', status = false } = nodes.get(item.nid) ?? {};
    return { ...item, title: label, isPublished: status, url: `${baseUrl}${entityPath.node(item.nid)}` };
  };
  const items = result.items.map((item): PrintedItem => ({ ...printed(item), pages: item.pages.map(printed) }));
  if (json) return console.log(JSON.stringify({ ...result, items }, null, 2));
  for (const line of linesOf(result, items, (page - 1) * size)) console.log(line);
}

function* linesOf(result: SearchResult, items: readonly PrintedItem[], before: number): Generator<string> {
  const { total, ignored, suggestion, isBuilding } = result;
  const columns = Math.min(process.stdout.columns ?? MAX_COLUMNS, MAX_COLUMNS);
  for (const sentence of ignored) yield plainLine(sentence);
  if (isBuilding !== undefined)
    yield `The index is being built: ${numberText(isBuilding.done)} of ${countInWords(isBuilding.total, 'node')} can be found.`;
  for (const [index, { title, isPublished, url, snippet, pages, pageCount }] of items.entries()) {
    yield `${before + index + 1}. ${cut(plainLine(title), columns - 8)}${isPublished ? '' : ' (unpublished)'}`;
    const text = snippetLine(snippet, columns);
    if (text !== '') yield `   ${text}`;
    yield `   ${url}`;
    for (const page of pages) {
      yield `   - ${cut(plainLine(page.title), columns - 8)} ${page.url}`;
      const words = snippetLine(page.snippet, columns - 2);
      if (words !== '') yield `     ${words}`;
    }
    if (pageCount > pages.length) yield `   ${numberText(pageCount)} pages in all.`;
    yield '';
  }
  if (items.length > 0)
    yield `${numberText(before + 1)} to ${numberText(before + items.length)} of ${countInWords(total, 'result')}.`;
  else yield total === 0 ? 'No results.' : `No results on this page: there are ${numberText(total)} in all.`;
  if (suggestion !== undefined) yield `Did you mean: ${plainLine(suggestion)}`;
}

/** Returns a snippet in one line, with bold matches on a terminal. */
function snippetLine(snippet: SearchItem['snippet'], columns: number): string {
  const isStyled = process.stdout.isTTY === true;
  let line = '';
  let left = columns - 4;
  for (const { text, isMark } of snippet) {
    if (left <= 1) break;
    const shown = cut(text.replace(/\p{Cc}+/gu, ' '), left);
    line += isMark && isStyled ? `${BOLD}${shown}${PLAIN}` : shown;
    left -= Bun.stringWidth(shown);
  }
  return line.trim();
}
