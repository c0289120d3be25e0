/** Facts of audio or video. Members that its header does not tell are undefined. */
export interface AvFacts {
  readonly seconds: number | undefined;
  /** The size of a video in pixels. */
  readonly width: number | undefined;
  readonly height: number | undefined;
}
