import { describe, expect, it } from 'bun:test';
import { matchRules } from '../../../src/jobs/find-required.ts';
import type { MediaFacts } from '../../../src/jobs/rules.ts';
import { parseUserRules } from './parse-user-rules.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const IMAGE = 'http://purl.org/coar/resource_type/c_c513';
const AUDIO = 'http://purl.org/coar/resource_type/c_18cc';
const VIDEO = 'http://purl.org/coar/resource_type/c_12ce';
const DOCUMENT = 'https://schema.org/DigitalDocument';
const PAGE = 'http://id.loc.gov/ontologies/bibframe/part';
const METADATA = 'generate_a_technical_metadata_derivative';
const TILES = 'image_generate_tiles_from_an_original_file';
const IMAGES = [
  'image_generate_a_service_file_from_an_original_file',
  'image_generate_a_thumbnail_from_an_original_file',
];

const rules = parseUserRules('');

interface Facts {
  type?: string;
  mime: string;
  media?: readonly string[];
  node?: readonly string[];
}

const factsOf = ({ type = 'file', mime, media = [ORIGINAL], node = [] }: Facts): MediaFacts => ({
  mediaType: type,
  mimeType: mime,
  mediaTerms: new Set(media),
  nodeTerms: new Set(node),
});
const matched = (facts: Facts, from = rules) => matchRules(from, factsOf(facts)).map(({ name }) => name);

/** True if a user's context with this one condition adds a thumbnail that takes any file. */
function holds(condition: string, facts: Facts): boolean {
  const own = parseUserRules(`
actions: { ${IMAGES[1]}: { source_mimetypes: ["*"] } }
contexts: { mine: { label: Mine, conditions: [${condition}], actions: [${IMAGES[1]}] } }
`);
  return matched({ media: [], ...facts }, own).includes(IMAGES[1] as string);
}

describe('the default rules', () => {
  it.each<[string, Facts, string[]]>([
    ['an image', { mime: 'image/png', node: [IMAGE] }, [...IMAGES, METADATA, TILES]],
    ['an image type that no program reads', { mime: 'image/svg+xml', node: [IMAGE] }, [METADATA]],
    [
      'audio',
      { mime: 'audio/x-wav', node: [AUDIO] },
      ['audio_generate_a_service_file_from_an_original_file', METADATA],
    ],
    [
      'a video',
      { mime: 'video/quicktime', node: [VIDEO] },
      [
        METADATA,
        'video_generate_a_service_file_from_an_original_file',
        'video_generate_a_thumbnail_from_an_original_file',
      ],
    ],
    [
      'a document that is a PDF',
      { mime: 'application/pdf', node: [DOCUMENT] },
      ['digital_document_generate_a_thumbnail_from_an_original_file', 'get_ocr_from_image', METADATA],
    ],
    ['a document of another type', { mime: 'application/msword', node: [DOCUMENT] }, [METADATA]],
    [
      'a page',
      { mime: 'image/tiff', node: [PAGE] },
      ['get_hocr_from_image', 'get_ocr_from_image', ...IMAGES, 'paged_content_created_aggregated_pdf', METADATA, TILES],
    ],
    ['a page that is a PDF', { mime: 'application/pdf', node: [PAGE] }, ['get_ocr_from_image', METADATA]],
    ['an original file of any other node', { mime: 'image/png', node: ['https://schema.org/Book'] }, [METADATA, TILES]],
    ['an original file without a node', { mime: 'image/png' }, [METADATA, TILES]],
    ['a file of another use', { mime: 'image/png', node: [IMAGE], media: ['http://pcdm.org/use#ServiceFile'] }, []],
    ['a media without terms', { mime: 'image/png', node: [IMAGE], media: [] }, []],
    ['a node with the term of a media', { mime: 'image/png', node: [IMAGE, ORIGINAL], media: [] }, []],
  ])('choose the actions for %s', (_what, facts, expected) => {
    expect(matched(facts)).toEqual(expected);
  });

  it('choose an action of two contexts only once', () => {
    const names = matched({ mime: 'image/jpeg', node: [IMAGE, PAGE] });
    expect(names.filter((name) => IMAGES.includes(name))).toEqual(IMAGES);
    expect(names).toHaveLength(7);
  });
});

describe('a context', () => {
  it('chooses no action if it is disabled', () => {
    const without = parseUserRules('contexts: { image_original_file: { enabled: false } }');
    expect(matched({ mime: 'image/png', node: [IMAGE] }, without)).toEqual([METADATA, TILES]);
  });

  it('with require_all: false needs only one condition', () => {
    const either = parseUserRules('contexts: { image_original_file: { require_all: false } }');
    expect(matched({ mime: 'image/png', media: [], node: [IMAGE] }, either)).toEqual(IMAGES);
    expect(matched({ mime: 'image/png', node: [] }, either)).toEqual([...IMAGES, METADATA, TILES]);
    expect(matched({ mime: 'image/png', media: [], node: [] }, either)).toEqual([]);
  });
});

describe('a condition', () => {
  it.each([
    ['{ condition: media_has_term, uri: ["urn:a", "urn:b"] }', ['urn:a'], false],
    ['{ condition: media_has_term, uri: ["urn:a", "urn:b"] }', ['urn:b', 'urn:a'], true],
    ['{ condition: media_has_term, uri: ["urn:a", "urn:b"], logic: or }', ['urn:b'], true],
    ['{ condition: media_has_term, uri: ["urn:a", "urn:b"], logic: or }', ['urn:c'], false],
  ])('on terms requires all values by default, or one with "or": %s with %j', (condition, media, expected) => {
    expect(holds(condition, { mime: 'image/png', media })).toBe(expected);
    const onNode = condition.replace('media_has_term', 'parent_node_has_term');
    expect(holds(onNode, { mime: 'image/png', node: media })).toBe(expected);
    expect(holds(onNode, { mime: 'image/png', media })).toBe(false);
  });

  it.each([
    ['types: [image, file]', 'file', true],
    ['types: image', 'file', false],
    ['types: [image, file], logic: and', 'file', false],
  ])('on the media type requires one value by default, or all with "and": %s with %s', (values, type, expected) => {
    expect(holds(`{ condition: media_has_type, ${values} }`, { mime: 'image/png', type })).toBe(expected);
  });

  it.each([
    ['mimetypes: [IMAGE/*, application/pdf]', 'image/png', true],
    ['mimetypes: [image/*, application/pdf]', 'text/plain', false],
    ['mimetypes: "*"', 'text/plain', true],
    ['mimetypes: [image/*, image/tiff], logic: and', 'image/tiff', true],
    ['mimetypes: [image/*, image/tiff], logic: and', 'image/png', false],
  ])('on the MIME type requires one value by default, or all with "and": %s with %s', (values, mime, expected) => {
    expect(holds(`{ condition: media_has_mimetype, ${values} }`, { mime })).toBe(expected);
  });
});
