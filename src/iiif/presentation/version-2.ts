import type { LanguageMap } from './language-map.ts';
import type { Resource } from './resource.ts';

/** The context of the Presentation API 2.1, which names its members. */
const CONTEXT = 'http://iiif.io/api/presentation/2/context.json';
const IMAGE_CONTEXT = 'http://iiif.io/api/image/3/context.json';
const SEARCH_PROFILE = 'http://iiif.io/api/search/1/search';

/** The media type of manifests in version 2. */
export const PRESENTATION_2_TYPE = `application/ld+json;profile="${CONTEXT}"`;

/** The size of a canvas without one: version 2 has no canvas that has only a duration. */
const SIDE = 1000;

interface Picture {
  readonly id: string;
  readonly type: string;
  readonly format?: string;
  readonly width?: number;
  readonly height?: number;
  readonly service?: readonly { readonly id: string; readonly profile: string }[];
}

interface Linked {
  readonly id: string;
  readonly label: LanguageMap;
  readonly format?: string;
}

interface Pair {
  readonly label: LanguageMap;
  readonly value: LanguageMap;
}

interface Canvas {
  readonly id: string;
  readonly label: LanguageMap;
  readonly width?: number;
  readonly height?: number;
  readonly thumbnail?: readonly Picture[];
  readonly rendering?: readonly Linked[];
  readonly items: readonly { readonly items: readonly { readonly id: string; readonly body: Picture }[] }[];
  readonly accompanyingCanvas?: Canvas;
  readonly placeholderCanvas?: Canvas;
}

/** The members of a manifest of version 3 that have a counterpart in version 2. */
interface Manifest {
  readonly id: string;
  readonly label: LanguageMap;
  readonly summary?: LanguageMap;
  readonly metadata?: readonly Pair[];
  readonly rights?: string;
  readonly requiredStatement?: Pair;
  readonly navDate?: string;
  readonly provider: readonly { readonly label: LanguageMap; readonly logo?: readonly Picture[] }[];
  readonly homepage: readonly Linked[];
  readonly seeAlso: readonly Linked[];
  readonly partOf?: readonly { readonly id: string }[];
  readonly thumbnail?: readonly Picture[];
  readonly rendering?: readonly Linked[];
  readonly service?: readonly { readonly '@id'?: string; readonly profile: string }[];
  readonly behavior?: readonly string[];
  readonly viewingDirection?: string;
  readonly items: readonly Canvas[];
}

/**
 * Returns a manifest of `manifestOf` in version 2.1 of the Presentation API, for clients that read `sequences`. Version 2 has
 * no audio and video: their files are renderings of their canvases. The lines of recognized text are left out, since they are
 * annotations of version 3; the search service of version 1 finds them.
 */
export function inVersion2(manifest: Resource): Resource {
  const { id, label, summary, metadata, rights, requiredStatement, navDate, ...more } = manifest as unknown as Manifest;
  const { provider, homepage, seeAlso, partOf, thumbnail, rendering, service, behavior } = more;
  const search = service?.find(({ profile }) => profile === SEARCH_PROFILE);
  return {
    '@context': CONTEXT,
    '@id': id,
    '@type': 'sc:Manifest',
    label: textOf(label),
    description: summary && textOf(summary),
    metadata: metadata?.map((pair) => ({ label: textOf(pair.label), value: textOf(pair.value) })),
    license: rights,
    attribution: requiredStatement ? textOf(requiredStatement.value) : provider.map((each) => textOf(each.label))[0],
    navDate,
    logo: provider[0]?.logo?.[0]?.id,
    related: homepage.map(linkTo),
    seeAlso: seeAlso.map(linkTo),
    within: partOf?.[0]?.id,
    thumbnail: thumbnail?.[0] && reference(thumbnail[0]),
    rendering: rendering?.map(linkTo),
    service: search,
    viewingHint: behavior?.[0],
    viewingDirection: more.viewingDirection,
    sequences: [
      {
        '@id': `${id}/sequence/normal`,
        '@type': 'sc:Sequence',
        canvases: more.items.map(canvasOf),
      },
    ],
  };
}

function canvasOf(canvas: Canvas): Resource {
  const { id, label, thumbnail, rendering = [] } = canvas;
  const { width, height } = sizeOf(canvas);
  const bodies = bodiesOf(canvas);
  const beside = canvas.accompanyingCanvas ?? canvas.placeholderCanvas;
  const pictures = [...bodies, ...(beside ? bodiesOf(beside) : [])].filter(({ body }) => body.type === 'Image');
  const played = bodies.filter(({ body }) => body.type !== 'Image');
  const files = [
    ...played.map(({ body }) => ({ '@id': body.id, format: body.format, label: textOf(label) })),
    ...rendering.map(linkTo),
  ];
  return {
    '@id': id,
    '@type': 'sc:Canvas',
    label: textOf(label),
    width,
    height,
    thumbnail: thumbnail?.[0] && reference(thumbnail[0]),
    rendering: files.length > 0 ? files : undefined,
    images: pictures.map(({ id: annotation, body }) => ({
      '@id': annotation,
      '@type': 'oa:Annotation',
      motivation: 'sc:painting',
      resource: { ...reference(body), '@type': 'dctypes:Image' },
      on: id,
    })),
  };
}

/** Returns the size of a canvas, or that of the picture beside it. */
function sizeOf({ width, height, accompanyingCanvas: beside }: Canvas): { width: number; height: number } {
  return { width: width ?? beside?.width ?? SIDE, height: height ?? beside?.height ?? SIDE };
}

const bodiesOf = ({ items }: Canvas) => items.flatMap((page) => page.items);

function reference({ id, format, width, height, service }: Picture): Resource {
  return {
    '@id': id,
    format,
    width,
    height,
    service: service?.[0] && {
      '@context': IMAGE_CONTEXT,
      '@id': service[0].id,
      profile: `http://iiif.io/api/image/3/${service[0].profile}.json`,
    },
  };
}

const linkTo = ({ id, label, format }: Linked): Resource => ({ '@id': id, format, label: textOf(label) });

/** Returns a text as a string, or several as a list. */
function textOf(map: LanguageMap): string | readonly string[] {
  const texts = Object.values(map).flat();
  return texts.length === 1 ? (texts[0] ?? '') : texts;
}
