/** Makes something of an object once, and answers the same again for as long as that object is there. */
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
