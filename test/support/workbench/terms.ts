import { type Block, block, type Step } from './sequence.ts';

/** `urllib.parse.quote_plus`. */
function quoted(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replaceAll(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A term by name, kept as a number; it must be there. */
export function termByName(vocabulary: string, name: string, keptAs: string): Step {
  return {
    ...namedTerms(vocabulary, name),
    reads: { '[0].tid[0].value': 'integer' },
    keeps: { [keptAs]: '[0].tid[0].value' },
  };
}

/** The answer for a name that no term of the vocabulary has. */
export function noTermByName(vocabulary: string, name: string): Step {
  return { ...namedTerms(vocabulary, name), check: mustBeEmpty };
}

function namedTerms(vocabulary: string, name: string): Step {
  return { send: `GET /term_from_term_name?vocab=${vocabulary}&name=${quoted(name)}&_format=json`, accepts: [200] };
}

function mustBeEmpty(json: unknown): void {
  if (!Array.isArray(json) || json.length > 0)
    throw new Error('it takes the first term of this list for the one it looks for');
}

/** A term by its URI in `field_external_uri`. */
export function termByUri(uri: string, keptAs: string): Step {
  return {
    send: `GET /term_from_uri?_format=json&uri=${uri.replaceAll('#', '%23')}`,
    accepts: [200],
    reads: { '[0].tid[0].value': 'integer', '[0].vid[0].target_id': 'text' },
    keeps: { [keptAs]: '[0].tid[0].value' },
  };
}

/** A term by a URI that is not in `field_external_uri`, but an authority link. */
export function termByAuthorityLink(uri: string, keptAs: string): Block {
  const address = uri.replaceAll('#', '%23');
  return block(
    { send: `GET /term_from_uri?_format=json&uri=${address}`, accepts: [200], check: mustBeEmpty },
    {
      send: `GET /term_from_authority_link?_format=json&authority_link=${address}`,
      accepts: [200],
      reads: { '[0].tid[0].value': 'integer', '[0].vid[0].target_id': 'text' },
      keeps: { [keptAs]: '[0].tid[0].value' },
    },
  );
}

/** Creates a missing term of the table: `allow_adding_terms`. */
export function newTerm(vocabulary: string, name: string, keptAs: string): Block {
  return block(noTermByName(vocabulary, name), {
    send: 'POST /taxonomy/term?_format=json',
    json: termBody(vocabulary, name),
    accepts: [201],
    reads: { 'tid[0].value': 'integer' },
    keeps: { [keptAs]: 'tid[0].value' },
  });
}

/** The body of a new term, with all that Workbench always sends. */
export function termBody(vocabulary: string, name: string, fields: object = {}): object {
  return {
    vid: [{ target_id: vocabulary, target_type: 'taxonomy_vocabulary' }],
    status: [{ value: true }],
    name: [{ value: name }],
    description: [{ value: '', format: null }],
    weight: [{ value: 0 }],
    parent: [{ target_type: 'taxonomy_term', target_id: null }],
    default_langcode: [{ value: true }],
    path: [{ alias: null, pid: null, langcode: 'en' }],
    ...fields,
  };
}

/** That a term is there, and where its vocabulary is read. */
export function checkedTerm(tid: string, vocabulary: string): Step {
  return {
    send: `GET /taxonomy/term/${tid}?_format=json`,
    accepts: [200],
    reads: { 'vid[0].target_id': `= ${vocabulary}` },
  };
}
