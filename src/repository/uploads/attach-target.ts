import type { UploadRow } from '../../database/schema/uploads.ts';
import type { MediaType, NodeType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import type { Content } from '../content/content.ts';
import type { IngestedBytes } from '../files/ingest.ts';

/** The use of an uploaded file. The caller has checked the access to it. */
export type AttachTarget = MediaOfNode | NewItem | SourceOfMedia | TrackOfMedia;

/** A new media of a node. */
interface MediaOfNode {
  readonly as: 'media';
  readonly nodeId: number;
  readonly type: MediaType;
  readonly termId: number;
}

/** A new item with a media. */
export interface NewItem {
  readonly as: 'item';
  readonly nodeType: NodeType;
  readonly title: string;
  readonly parentId: number;
  readonly modelId: number;
  readonly weight: number | undefined;
  /** Undefined: as its type says. */
  readonly published: boolean | undefined;
  readonly rights: string | undefined;
  readonly type: MediaType;
  readonly termId: number;
}

/** The new source of a media, whose bytes it replaces. */
interface SourceOfMedia {
  readonly as: 'source';
  readonly media: Content;
  /** Throws if the media, as it is now, must not be changed. */
  readonly check: (media: Content) => void;
  /** Called after the commit with each sentence for the person who replaces the file. */
  readonly note: (notice: string) => void;
}

/** Captions of a media. */
export interface TrackOfMedia {
  readonly as: 'track';
  readonly media: Content;
  readonly check: (media: Content) => void;
  readonly kind: string;
  readonly label: string;
  readonly language: string;
}

/** The field of rights. */
export const RIGHTS_FIELD = 'field_rights';
/** The field of tracks. */
export const TRACK_FIELD = 'field_track';

/** A stored file to save. */
export interface UploadSave<Target = AttachTarget> {
  readonly actor: Actor;
  readonly upload: UploadRow;
  readonly target: Target;
  readonly ingested: IngestedBytes;
}
