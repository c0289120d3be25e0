import { nearest } from '../../base/nearest.ts';
import { oneOf, shown } from '../../field-types/cell.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { termAccess } from '../../repository/access.ts';
import { foldLabel } from '../../repository/content/content.ts';
import type { FindReferred } from './find-referred.ts';
import { createFindTerms, createNearestTerm, type ReferredTerm } from './find-terms.ts';
import { COMMAND_WORDS } from './option-words.ts';
import { type CellValue, faulty, type NewTerm } from './row-plan.ts';
import type { LoadContext, TableOptions } from './table-options.ts';

/** Reads the values of fields that refer to terms. */
export interface TermValues {
  /** Reads a term by its id, its URI, its name, or its vocabulary and name such as `person:Doe, Jane`. */
  read(text: string, definition: FieldDefinition, takesNew?: boolean): Promise<CellValue>;
}

const ID = /^\d{1,15}$/;
const URI = /^https?:\/\//i;
const MAX_NAME_CHARS = 255;
const MAX_REMEMBERED = 50_000;

/** A name and the vocabulary to search. */
interface NameQuery {
  readonly vocabulary: string;
  readonly name: string;
}

export function createTermValues(
  context: LoadContext,
  referred: FindReferred,
  { newTerms, createTerms, words = COMMAND_WORDS }: Pick<TableOptions, 'newTerms' | 'createTerms' | 'words'>,
): TermValues {
  const { services, actor } = context;
  const { vocabularies } = services.model;
  const find = createFindTerms(services.database);
  const nearestTerm = createNearestTerm(services.database);
  const reasons = new Map<string, string | undefined>();
  let added = new Map<string, NewTerm>();

  const takenBy = ({ targetBundles }: FieldDefinition) => targetBundles ?? [...vocabularies.keys()];

  function inPlace(term: ReferredTerm, text: string, definition: FieldDefinition): CellValue {
    if (takenBy(definition).includes(term.vocabulary)) return { item: { target_id: term.id } };
    return faulty(wrongVocabulary(`The term ${shown(text)} is in the vocabulary ${term.vocabulary}`, definition));
  }

  function wrongVocabulary(what: string, definition: FieldDefinition): string {
    return `${what}; the field accepts terms of ${oneOf(takenBy(definition))}.`;
  }

  async function readId(id: number, definition: FieldDefinition): Promise<CellValue> {
    const term = await referred.byId('taxonomy_term', id);
    if (term === undefined) return faulty(`There is no term with id ${id}.${hintOfName(id, definition)}`);
    return inPlace({ id, vocabulary: term.bundle }, String(id), definition);
  }

  /** Returns the advice for a name that is a number, which is read as an id. */
  function hintOfName(id: number, definition: FieldDefinition): string {
    const [vocabulary] = takenBy(definition);
    return vocabulary === undefined ? '' : ` If this is a name, write ${vocabulary}:${id}.`;
  }

  async function readUri(uri: string, definition: FieldDefinition): Promise<CellValue> {
    const terms = (await find.byUri(uri)) ?? [];
    const [first] = terms;
    if (first === undefined) return faulty(`There is no term with the URI ${shown(uri)}.`);
    const fitting = terms.find(({ vocabulary }) => takenBy(definition).includes(vocabulary));
    return inPlace(fitting ?? first, uri, definition);
  }

  async function readName(text: string, definition: FieldDefinition, takesNew: boolean): Promise<CellValue> {
    const sought = soughtBy(text, definition);
    if (typeof sought === 'string') return faulty(sought);
    const { vocabulary, name } = sought;
    const term = await find.byName(vocabulary, name);
    if (term) return { item: { target_id: term.id } };
    const reason = takesNew ? whyNotNew(sought, definition) : '';
    if (reason === undefined) return { item: {}, newTerm: newTerm(vocabulary, name) };
    const guess = await nearestTerm(vocabulary, name);
    const hint = guess === undefined ? '' : ` Did you mean ${shown(guess)}?`;
    const fault = `The term ${shown(name)} does not exist in the vocabulary ${vocabulary}.${hint} ${reason}`.trim();
    return { fault, group: termKey(sought) };
  }

  function soughtBy(text: string, definition: FieldDefinition): NameQuery | string {
    const taken = takenBy(definition);
    const at = text.indexOf(':');
    const prefix = at < 0 ? '' : text.slice(0, at).trim();
    if (prefix !== '' && vocabularies.has(prefix)) {
      const name = text.slice(at + 1).trim();
      if (!taken.includes(prefix)) return wrongVocabulary(`${shown(text)} names the vocabulary ${prefix}`, definition);
      return name === '' ? `${shown(text)} has a vocabulary but no name of a term.` : { vocabulary: prefix, name };
    }
    const [only] = taken;
    if (only !== undefined && taken.length === 1) return { vocabulary: only, name: text };
    const guess = prefix === '' ? undefined : nearest(prefix, taken);
    const example = `${guess ?? only}:${guess === undefined ? text : text.slice(at + 1).trim()}`;
    return `${shown(text)} lacks its vocabulary, one of ${oneOf(taken)}. Write ${shown(example)}.`;
  }

  /** Returns why a missing term is not created, as a sentence; undefined if it is. */
  function whyNotNew({ vocabulary, name }: NameQuery, definition: FieldDefinition): string | undefined {
    if (name.length > MAX_NAME_CHARS && [...name].length > MAX_NAME_CHARS)
      return `A name has at most ${MAX_NAME_CHARS} characters.`;
    if (!reasons.has(vocabulary)) reasons.set(vocabulary, whyNoneNew(vocabulary));
    const reason = reasons.get(vocabulary);
    if (reason !== undefined || createsIn(vocabulary, definition)) return reason;
    return `To create it, ${words.createTerms(vocabulary)}.`;
  }

  /** Returns true if the command or the field's configuration lets missing terms be created in a vocabulary. */
  function createsIn(vocabulary: string, { autoCreate, autoCreateBundle = vocabulary }: FieldDefinition): boolean {
    return createTerms.includes(vocabulary) || (autoCreate && autoCreateBundle === vocabulary);
  }

  /** Returns why no term of a vocabulary can be created from a name alone, as a sentence. */
  function whyNoneNew(vocabulary: string): string | undefined {
    if (!newTerms) return `${words.noNewTerms} forbids creating it.`;
    if (!termAccess.create(actor, vocabulary).isAllowed) return `The user ${actor.name} may not create terms there.`;
    const required = vocabularies
      .get(vocabulary)
      ?.fields.find((field) => field.required && field.defaultValue.length === 0);
    return required && `It cannot be created without a value of ${required.name}.`;
  }

  function newTerm(vocabulary: string, name: string): NewTerm {
    const key = termKey({ vocabulary, name });
    const known = added.get(key);
    if (known) return known;
    if (added.size >= MAX_REMEMBERED) added = new Map();
    const term = { vocabulary, name };
    added.set(key, term);
    return term;
  }

  return {
    async read(text, definition, takesNew = true) {
      if (ID.test(text)) return readId(Number(text), definition);
      return URI.test(text) ? readUri(text, definition) : readName(text, definition, takesNew);
    },
  };
}

/** Returns a key that all spellings of a term's name share, regardless of case. */
export function termKey({ vocabulary, name }: NewTerm): string {
  return `${vocabulary}\n${foldLabel(name)}`;
}
