import { isNothing, toFloat } from './convert-scalar.ts';
import type { FieldType } from './field-type.ts';
import { wrongType } from './messages.ts';
import { isMapOrEmpty, readMap } from './plain-map.ts';

/**
 * A point in degrees, with what spatial queries compute from it. Not held to the globe: loaders write
 * latitudes beyond 90 degrees, and are not refused by the original.
 */
export const geolocation: FieldType = {
  main: undefined,
  parse: (raw) =>
    isNothing(raw.lat) || isNothing(raw.lng)
      ? undefined
      : { lat: toFloat(raw.lat), lng: toFloat(raw.lng), data: readMap(raw.data) },
  violations: (item) => [
    ...['lat', 'lng'].flatMap((path) => (Number.isFinite(item[path] ?? null) ? [] : [wrongType(path)])),
    ...(isMapOrEmpty(item.data) ? [] : [wrongType('data')]),
  ],
  complete: ({ lat = null, lng = null, data = [] }) => {
    const latitude = typeof lat === 'number' ? radians(lat) : 0;
    const longitude = typeof lng === 'number' ? radians(lng) : 0;
    return {
      lat,
      lng,
      lat_sin: Math.sin(latitude),
      lat_cos: Math.cos(latitude),
      lng_rad: longitude,
      data,
      value: `${lat}, ${lng}`,
    };
  },
};

function radians(degrees: number): number {
  return (degrees / 180) * Math.PI;
}
