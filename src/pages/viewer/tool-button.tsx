/** The outlines of the signs on buttons, in a square of 24. */
const SIGNS = {
  in: 'M12 5v14M5 12h14',
  out: 'M5 12h14',
  whole: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  rotate: 'M19 12a7 7 0 1 1-2.6-5.4M17 3v4h-4',
  full: 'M14 4h6v6M10 20H4v-6M20 4l-6 6M4 20l6-6',
  fit: 'M3 12h18M7 8l-4 4 4 4M17 8l4 4-4 4',
  previous: 'M15 5l-7 7 7 7',
  next: 'M9 5l7 7-7 7',
} as const;

interface Props {
  readonly act: keyof typeof SIGNS;
  readonly label: string;
  /** Default: a button that only a script answers. */
  readonly type?: 'button' | 'submit';
  readonly value?: string;
}

/** A button of a viewer: a sign with a name. */
export function ToolButton({ act, label, type = 'button', value }: Props) {
  return (
    <button type={type} data-act={act} value={value} aria-label={label} title={label}>
      <svg
        viewBox="0 0 24 24"
        width="20"
        height="20"
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        aria-hidden="true"
      >
        <path d={SIGNS[act]} />
      </svg>
    </button>
  );
}
