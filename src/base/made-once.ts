/** Returns a function that computes a value once per object and caches it for the lifetime of the object. */
export function madeOnce<Key extends object, Made extends object>(make: (key: Key) => Made): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  return (key) => {
    let made = known.get(key);
    if (made === undefined) {
      made = make(key);
      known.set(key, made);
    }
    return made;
  };
}

/** Returns a function that computes a value once per text or number and caches it for its own lifetime, for a few keys. */
export function madeOncePer<Key extends string | number, Made extends object>(
  make: (key: Key) => Made,
): (key: Key) => Made {
  const known = new Map<Key, Made>();
  return (key) => {
    let made = known.get(key);
    if (made === undefined) {
      made = make(key);
      known.set(key, made);
    }
    return made;
  };
}
