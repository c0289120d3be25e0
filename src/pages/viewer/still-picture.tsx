import type { StagePicture } from './stage.ts';

interface Props {
  readonly picture: StagePicture;
  readonly text: string;
  readonly root: string;
}

/** A picture of a stage as browsers show it. */
export function StillPicture({ picture: { path, width, height }, text, root }: Props) {
  return <img class="viewer-still" src={root + path} alt={text} width={width} height={height} decoding="async" />;
}
