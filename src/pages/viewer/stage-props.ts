import type { Stage } from './stage.ts';

/** The properties of a stage. */
export interface StageProps<Kind extends Stage['kind'] = Stage['kind']> {
  readonly stage: Extract<Stage, { readonly kind: Kind }>;
  /** The name of the item or media. */
  readonly label: string;
  readonly root: string;
  /** The attributes of texts in the language of pages. */
  readonly lang: { readonly lang?: string };
}
