/** Units of the outline of the world (`world.svg`) per degree. It begins at 90 degrees north and 180 degrees west. */
const UNITS_PER_DEGREE = 5;
const WORLD = { width: 360 * UNITS_PER_DEGREE, height: 180 * UNITS_PER_DEGREE };
/** The shown part of the world, and its size in pixels. */
const PART = { width: 90 * UNITS_PER_DEGREE, height: 45 * UNITS_PER_DEGREE };
const PICTURE = { width: 320, height: 160 };
const MARK_RADIUS = 9;
/** Five digits are about a metre. */
const MAX_DIGITS = 5;

/** Returns a point in words: "49.16667° north, 123.93333° west". */
export function pointInWords(latitude: number, longitude: number): string {
  const degrees = (value: number, positive: string, negative: string) => {
    const size = Math.abs(Number(value.toFixed(MAX_DIGITS)));
    return size === 0 ? '0°' : `${size}° ${value < 0 ? negative : positive}`;
  };
  return `${degrees(latitude, 'north', 'south')}, ${degrees(longitude, 'east', 'west')}`;
}

interface Props {
  readonly latitude: number;
  readonly longitude: number;
  /** The address of the outline of the world. */
  readonly outline: string;
}

/** A map of the land around a point, with a mark. Nothing for a latitude that does not exist. */
export function PlaceOnMap({ latitude, longitude, outline }: Props) {
  if (Math.abs(latitude) > 90 || !Number.isFinite(longitude)) return null;
  const x = ((((longitude + 180) % 360) + 360) % 360) * UNITS_PER_DEGREE;
  const y = (90 - latitude) * UNITS_PER_DEGREE;
  const left = Math.min(Math.max(x - PART.width / 2, 0), WORLD.width - PART.width);
  const top = Math.min(Math.max(y - PART.height / 2, 0), WORLD.height - PART.height);
  return (
    <svg
      class="map"
      viewBox={`${rounded(left)} ${rounded(top)} ${PART.width} ${PART.height}`}
      {...PICTURE}
      role="img"
      aria-label="This place on a map"
    >
      <image href={outline} {...WORLD} />
      <circle cx={rounded(x)} cy={rounded(y)} r={MARK_RADIUS} />
    </svg>
  );
}

function rounded(units: number): number {
  return Number(units.toFixed(1));
}
