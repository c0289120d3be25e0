/** A JSON object of a manifest. Members that are undefined are left out. */
export type Resource = Readonly<Record<string, unknown>>;

/** The context of the Presentation API 3.0, which names its members. */
export const PRESENTATION_CONTEXT = 'http://iiif.io/api/presentation/3/context.json';

/** The media type of manifests, collections and pages of annotations. */
export const PRESENTATION_TYPE = `application/ld+json;profile="${PRESENTATION_CONTEXT}"`;
