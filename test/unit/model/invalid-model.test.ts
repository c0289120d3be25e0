import { describe, expect, it } from 'bun:test';
import { problemsOf } from './parse-user-model.ts';

/** A node type with one field of the given settings. */
const field = (settings: string) => `node_types: { book: { label: Book, fields: { field_x: { ${settings} } } } }`;
const AT = 'my.yaml:1: node_types.book.fields.field_x';

const RESERVED_NAME = 'node_types: { book: { label: Book, fields: { constructor: { label: X, type: string } } } }';

const INVALID_FIELDS: [name: string, settings: string, message: string][] = [
  ['no type', 'label: X', `${AT}.type is missing; it is the name of a field type`],
  ['no label', 'type: string', `${AT}.label is missing; it is text for people to read`],
  [
    'an unknown setting',
    'label: X, type: string, max_lenght: 5',
    'my.yaml:1: unknown key node_types.book.fields.field_x.max_lenght; did you mean max_length?',
  ],
  ['an unknown type', 'label: X, type: strin', `${AT}.type: there is no field type "strin"; did you mean string?`],
  [
    'a setting of another type',
    'label: X, type: boolean, max_length: 5',
    `${AT}.max_length means nothing for a boolean field; it is for string, text, list_string, edtf, uri, email, textfield_attr`,
  ],
  [
    'a reference without a target',
    'label: X, type: entity_reference',
    `${AT}.target_type is missing; a field of type entity_reference needs the type of the targets, such as taxonomy_term`,
  ],
  [
    'an unknown target type',
    'label: X, type: entity_reference, target_type: taxonomy',
    `${AT}.target_type: there is no target type "taxonomy"; there are: node, media, taxonomy_term, file, user, node_type, media_type, taxonomy_vocabulary, paragraphs_type, user_role`,
  ],
  [
    'an unknown target bundle',
    'label: X, type: entity_reference, target_type: taxonomy_term, target_bundles: [genre, subjcet]',
    `${AT}.target_bundles.1: there is no vocabulary "subjcet"; did you mean subject?`,
  ],
  [
    'bundles of a type without bundles',
    'label: X, type: entity_reference, target_type: user, target_bundles: [user]',
    `${AT}.target_bundles.0: a user has no bundles; leave this out`,
  ],
  [
    'a bundle for new terms that is not a target',
    'label: X, type: entity_reference, target_type: taxonomy_term, target_bundles: [genre], auto_create_bundle: subject',
    `${AT}.auto_create_bundle must be one of target_bundles, found "subject"`,
  ],
  [
    'an invalid cardinality',
    'label: X, type: string, cardinality: 0',
    `${AT}.cardinality must be a whole number from 1 to 1000, or unlimited, found 0`,
  ],
  [
    'an unknown list',
    'label: X, type: typed_relation, target_type: taxonomy_term, rel_types: relator',
    `${AT}.rel_types: there is no list "relator"; did you mean relators?`,
  ],
  [
    'an unknown authority source',
    'label: X, type: authority_link, authority_sources: [vaif]',
    `${AT}.authority_sources.0: there is no authority source "vaif"; did you mean naf?`,
  ],
  [
    'no file extensions',
    'label: X, type: file',
    `${AT}.file_extensions is missing; a field of type file needs a list of file extensions, such as [jpg, png]`,
  ],
  [
    'a file extension with a dot',
    'label: X, type: file, file_extensions: [pdf, .txt]',
    `${AT}.file_extensions.1 must be lower-case letters and digits, without the dot, found ".txt"`,
  ],
  [
    'a folder that leads out',
    'label: X, type: file, file_extensions: [pdf], file_directory: ../../etc',
    `${AT}.file_directory must be a relative folder without "..", found "../../etc"`,
  ],
  ['a range without numbers', 'label: X, type: integer, min: 5, max: 1', `${AT}.max must be at least min, 5, found 1`],
  [
    'a default of the wrong kind',
    'label: X, type: integer, default_value: [{ value: many }]',
    `${AT}.default_value.0.value must be a number, found "many"`,
  ],
  [
    'a default that is too long',
    'label: X, type: string, max_length: 3, default_value: [{ value: four }]',
    `${AT}.default_value.0.value must be text of at most 3 characters, found "four"`,
  ],
  [
    'a default that is not on the list',
    'label: X, type: list_string, allowed_values: { a: A }, default_value: [{ value: b }]',
    `${AT}.default_value.0.value must be one of a, found "b"`,
  ],
  [
    'a default that is empty',
    'label: X, type: entity_reference, target_type: node, default_value: [{ target: 5 }]',
    `${AT}.default_value.0 must have target_id or target_uuid`,
  ],
  [
    'more defaults than items',
    'label: X, type: string, default_value: [{ value: a }, { value: b }]',
    `${AT}.default_value must have at most 1 item, as cardinality says, found 2`,
  ],
  [
    'a default that is not an item',
    'label: X, type: string, default_value: text',
    `${AT}.default_value must be a list of items, such as [{ value: text }], found "text"`,
  ],
];

describe('the name of a field', () => {
  it('is no name that every object of JavaScript has', () => {
    expect(problemsOf(RESERVED_NAME)).toEqual([
      'my.yaml:1: node_types.book.fields.constructor: the name constructor is reserved; choose another name',
    ]);
  });
});

describe('an invalid field', () => {
  it.each(INVALID_FIELDS)('is rejected: %s', (_name, settings, message) => {
    expect(problemsOf(field(settings))).toEqual([message]);
  });

  it('is reported if it is not a map', () => {
    expect(problemsOf('node_types: { page: { fields: { field_x: string } } }')).toEqual([
      'my.yaml:1: node_types.page.fields.field_x must be a field: a map with label and type, found "string"',
    ]);
  });

  it('is reported for the name of a base field, or an invalid name', () => {
    const fields = 'title: { label: X, type: string }\n      field-y: { label: Y, type: string }';
    expect(problemsOf(`node_types:\n  page:\n    fields:\n      ${fields}`)).toEqual([
      'my.yaml:4: node_types.page.fields.title: every node has a field title already; choose another name',
      'my.yaml:5: node_types.page.fields.field-y: a machine name is at most 32 lower-case letters, digits and _, and begins with a letter',
    ]);
  });

  it('is reported if it differs from the same field of another bundle', () => {
    expect(problemsOf('node_types: { page: { fields: { field_tags: { label: Tags, type: string } } } }')).toEqual([
      'my.yaml:1: node_types.page.fields.field_tags.type must be the same in every bundle: entity_reference in article, found string',
    ]);
    // The report names the user's definition, not the later default one.
    expect(problemsOf('media_types: { image: { fields: { field_media_of: { cardinality: 2 } } } }')).toContain(
      'my.yaml:1: media_types.image.fields.field_media_of.cardinality must be the same in every bundle: 1 in audio, found 2',
    );
  });
});

const INVALID_MODELS: [name: string, text: string, messages: string[]][] = [
  ['a list', '- node_types', ['my.yaml:1: the file must be a map of keys']],
  ['an unknown key', 'node_type: {}', ['my.yaml:1: unknown key node_type; did you mean node_types?']],
  [
    'an unknown name to remove',
    'node_types: { artikle: null }',
    ['my.yaml:1: node_types.artikle: there is nothing to remove; did you mean article?'],
  ],
  [
    'a vocabulary that is still referred to',
    'vocabularies:\n  tags: null',
    [
      'my.yaml:2: vocabularies.tags cannot be removed: node_types.article.fields.field_tags.target_bundles.0 refers to it',
    ],
  ],
  [
    'a source field that was removed',
    'media_types:\n  audio:\n    fields:\n      field_media_audio_file: null',
    [
      'my.yaml:4: media_types.audio.fields.field_media_audio_file cannot be removed: media_types.audio.source_field refers to it',
    ],
  ],
  [
    'a filled field that was removed',
    'media_types: { video: { fields: { field_mime_type: null } } }',
    [
      'my.yaml:1: media_types.video.fields.field_mime_type cannot be removed: media_types.video.auto_filled.mimetype refers to it',
    ],
  ],
  [
    'a source field of another kind',
    'media_types: { audio: { fields: { field_media_audio_file: { label: A, type: string, required: true } } } }',
    [
      'my.yaml:1: media_types.audio.fields.field_media_audio_file.type must be file: it holds the source audio_file, found string',
    ],
  ],
  [
    'a source field that may be empty',
    'media_types: { image: { fields: { field_media_image: { required: false } } } }',
    ['my.yaml:1: media_types.image.fields.field_media_image.required must be true: a media needs its source'],
  ],
  [
    'a source of another kind',
    'media_types: { image: { source: audio_file, auto_filled: { name: name } } }',
    ['my.yaml:1: media_types.image.source: audio_file needs a file field, but field_media_image is image'],
  ],
  [
    'an attribute that the source lacks',
    'media_types: { audio: { auto_filled: { width: field_file_size, mimetype: field_file_size } } }',
    [
      'my.yaml:1: media_types.audio.auto_filled.width: a source audio_file has no width; it has name, mimetype, filesize',
      'my.yaml:1: media_types.audio.auto_filled.mimetype must name a field of type string or string_long; field_file_size is integer',
    ],
  ],
  [
    'an unknown source',
    'media_types: { x: { label: X, source: pdf, source_field: field_x } }',
    ['my.yaml:1: media_types.x.source must be one of image, audio_file, video_file, file, remote_video, found "pdf"'],
  ],
  [
    'a missing uri_field',
    'vocabularies: { tags: { uri_field: field_external_uri } }',
    ['my.yaml:1: vocabularies.tags.uri_field: there is no field "field_external_uri"; there are none'],
  ],
  [
    'an unknown permission',
    'roles: { curator: { label: C, permissions: [view media, edit any artcle content] } }',
    [
      'my.yaml:1: roles.curator.permissions.1: there is no permission "edit any artcle content"; did you mean "edit any article content"?',
    ],
  ],
  [
    'a role that is needed',
    'roles: { anonymous: null }',
    ['my.yaml:1: roles.anonymous cannot be removed: the repository needs it'],
  ],
  [
    'an implicit role with every permission',
    'roles: { authenticated: { is_admin: true } }',
    ['my.yaml:1: roles.authenticated.is_admin cannot be true: it would let every caller do everything'],
  ],
  [
    'an administrator without every permission',
    'roles: { administrator: { is_admin: false } }',
    ['my.yaml:1: roles.administrator.is_admin must be true: the repository needs a role with every permission'],
  ],
  [
    'an unknown resource, method, format and type',
    'rest:\n  entity.nodes: { GET: { json: [cookie] } }\n  entity.node: { get: { json: [cookie] } }\n  entity.file: { GET: { xml: [cookie] } }\n  entity.user: { GET: { json: [basic] } }',
    [
      'my.yaml:2: rest."entity.nodes": there is no REST resource "entity.nodes"; did you mean entity.node?',
      'my.yaml:3: unknown key rest."entity.node".get; did you mean GET?',
      'my.yaml:4: unknown key rest."entity.file".GET.xml; known here: json, jsonld',
      'my.yaml:5: rest."entity.user".GET.json.0 must be one of basic_auth, jwt_auth, cookie, found "basic"',
    ],
  ],
  [
    'no languages',
    'languages: []',
    ['my.yaml:1: languages must be a list of language codes, such as [en, und], found an empty list'],
  ],
  [
    'a default language that was left out',
    'languages: [de, de, "german language"]',
    [
      'my.yaml:1: languages.1: "de" is listed twice',
      'my.yaml:1: languages.2 must be a language code, such as en or pt-BR, found "german language"',
      'my.yaml:1: default_language must be one of languages (de, de, german language), found "en"',
    ],
  ],
  [
    'a fallback that was removed',
    'text_formats: { plain_text: null }',
    ['my.yaml:1: text_formats.plain_text cannot be removed: fallback_format refers to it'],
  ],
  [
    'markup that runs',
    'text_formats: { x: { label: X, allowed_html: { script: [], a: [href, onclick] } } }',
    [
      "my.yaml:1: text_formats.x.allowed_html.script cannot be allowed: it could run or load something in a reader's browser",
      'my.yaml:1: text_formats.x.allowed_html.a.1: the attribute "onclick" cannot be allowed',
    ],
  ],
  [
    'a term without its parent, with a wrong source and address',
    'terms:\n  genre:\n    source: lcgft\n    terms:\n      - { name: A, parent: B }\n      - { name: C, uri: nowhere }\n      - { name: D, source: viaf }',
    [
      'my.yaml:5: terms.genre.terms.0.parent: there is no term "B"; did you mean A?',
      'my.yaml:6: terms.genre.terms.1.uri must be an absolute address, found "nowhere"',
      'my.yaml:7: terms.genre.terms.2.source: there is no authority source of the vocabulary genre "viaf"; there are: aat, gnd, lcgft, tgm, mgt, other',
    ],
  ],
  [
    'circular terms',
    'terms: { tags: { terms: [{ name: A, parent: B }, { name: B, parent: A }] } }',
    [
      'my.yaml:1: terms.tags.terms.0.parent is circular: it leads back to "A"',
      'my.yaml:1: terms.tags.terms.1.parent is circular: it leads back to "B"',
    ],
  ],
  [
    'terms with values that their vocabulary lacks',
    'terms: { tags: { terms: [{ name: A, uri: "https://example.org/a" }, { name: A, code: a }] } }',
    [
      'my.yaml:1: terms.tags.terms.0.uri has no place: the vocabulary tags has no uri_field',
      'my.yaml:1: terms.tags.terms.1.code has no place: the vocabulary tags has no field_code',
      'my.yaml:1: terms.tags.terms.1.name: "A" is listed twice',
    ],
  ],
  [
    'terms of an unknown vocabulary',
    'terms: { genres: { list: countries } }',
    ['my.yaml:1: terms.genres: there is no vocabulary "genres"; did you mean genre?'],
  ],
  [
    'an unknown list of terms',
    'terms: { genre: { list: county } }',
    ['my.yaml:1: terms.genre.list: there is no built-in list "county"; there are: countries, languages'],
  ],
];

describe('an invalid model file', () => {
  it.each(INVALID_MODELS)('is rejected: %s', (_name, text, messages) => {
    expect(problemsOf(text)).toEqual(messages);
  });

  it('reports all problems in the order of the lines', () => {
    const text = 'languages: [EN]\nroles:\n  x: {}\nnode_types:\n  page: { promote: maybe }\n';
    expect(problemsOf(text).map((problem) => problem.split(': ')[0])).toEqual([
      ...['my.yaml:1', 'my.yaml:1', 'my.yaml:3', 'my.yaml:5'],
    ]);
  });

  it('hides values from the environment', () => {
    expect(problemsOf('roles: { x: { label: X, permissions: ["${TOKEN}"] } }', { TOKEN: 'hunter2hunter2' })).toEqual([
      'my.yaml:1: roles.x.permissions.0: there is no permission "${TOKEN}"; permissions name a bundle that exists, as in "create page content"',
    ]);
  });

  it.each(['__proto__: {}', 'node_types: { __proto__: null }', 'node_types: { constructor: null }'])(
    'does not accept %s as a known name',
    (text) => {
      expect(problemsOf(text)).not.toEqual([]);
    },
  );
});
