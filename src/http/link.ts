/** One typed link of a resource (RFC 8288 section 2). */
export interface Link {
  /** Absolute. */
  readonly href: string;
  /** A registered relation, or the URI of another. */
  readonly rel: string;
  /** For people, in any characters. */
  readonly title?: string;
  /** The language of the title, as a tag (RFC 5646). */
  readonly language?: string | undefined;
  /** A hint at the media type of the target. */
  readonly type?: string;
}
