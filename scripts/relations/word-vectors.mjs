// Vectors of words from the texts that they share: positive pointwise mutual information, reduced by singular values.
const CONTEXTS = 4_000;
const SHIFT = Math.log(1.5);
const OVERSAMPLED = 30;

/**
 * @param texts - `{ words, weight }`, with distinct words.
 * @param vocabulary - Most frequent first. The first of them are the contexts.
 * @returns One unit vector per word of the vocabulary, in one array.
 */
export function vectorsOf(texts, vocabulary, dimensions) {
  const ids = new Map(vocabulary.map((word, id) => [word, id]));
  const rows = vocabulary.map(() => new Map());
  for (const { words, weight } of texts) {
    const found = words.flatMap((word) => ids.get(word) ?? []);
    const share = weight / Math.sqrt(found.length);
    for (const id of found) {
      for (const context of found) {
        if (context < CONTEXTS && context !== id) rows[id].set(context, (rows[id].get(context) ?? 0) + share);
      }
    }
  }
  const matrix = informationOf(rows);
  const width = dimensions + OVERSAMPLED;
  let basis = product(matrix, randomMatrix(CONTEXTS, width), width);
  for (let round = 0; round < 2; round++) {
    orthonormalize(basis, width);
    basis = product(matrix, transposedProduct(matrix, basis, width), width);
  }
  orthonormalize(basis, width);
  return scaled(basis, transposedProduct(matrix, basis, width), width, dimensions);
}

function informationOf(rows) {
  const sums = rows.map((row) => Array.from(row.values()).reduce((sum, each) => sum + each, 0));
  const contexts = new Float64Array(CONTEXTS);
  for (const row of rows) for (const [context, count] of row) contexts[context] += count;
  const smoothed = contexts.map((count) => count ** 0.75);
  const whole = smoothed.reduce((sum, each) => sum + each, 0);
  return rows.map((row, id) => {
    const cells = Array.from(row, ([context, count]) => [
      context,
      Math.log((count * whole) / (sums[id] * smoothed[context])) - SHIFT,
    ]);
    const kept = cells.filter(([, value]) => value > 0);
    return {
      columns: Int32Array.from(kept, ([column]) => column),
      values: Float64Array.from(kept, ([, value]) => value),
    };
  });
}

/** The same on every run. */
function randomMatrix(height, width) {
  let state = 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  return Float64Array.from({ length: height * width }, () => next() + next() + next());
}

function product(matrix, right, width) {
  const result = new Float64Array(matrix.length * width);
  for (const [row, { columns, values }] of matrix.entries()) {
    for (let at = 0; at < columns.length; at++) {
      const value = values[at];
      const from = columns[at] * width;
      for (let each = 0; each < width; each++) result[row * width + each] += value * right[from + each];
    }
  }
  return result;
}

function transposedProduct(matrix, right, width) {
  const result = new Float64Array(CONTEXTS * width);
  for (const [row, { columns, values }] of matrix.entries()) {
    for (let at = 0; at < columns.length; at++) {
      const value = values[at];
      const to = columns[at] * width;
      for (let each = 0; each < width; each++) result[to + each] += value * right[row * width + each];
    }
  }
  return result;
}

/** Gram and Schmidt, by columns. */
function orthonormalize(matrix, width) {
  const height = matrix.length / width;
  for (let column = 0; column < width; column++) {
    for (let before = 0; before < column; before++) {
      let dot = 0;
      for (let row = 0; row < height; row++) dot += matrix[row * width + column] * matrix[row * width + before];
      for (let row = 0; row < height; row++) matrix[row * width + column] -= dot * matrix[row * width + before];
    }
    let square = 0;
    for (let row = 0; row < height; row++) square += matrix[row * width + column] ** 2;
    const length = Math.sqrt(square) || 1;
    for (let row = 0; row < height; row++) matrix[row * width + column] /= length;
  }
}

/** Rotates the basis to the singular vectors, each times the root of its singular value. */
function scaled(basis, projected, width, dimensions) {
  const gram = new Float64Array(width * width);
  for (let row = 0; row < projected.length; row += width) {
    for (let left = 0; left < width; left++) {
      const value = projected[row + left];
      for (let right = 0; right < width; right++) gram[left * width + right] += value * projected[row + right];
    }
  }
  const { values, vectors } = eigenOf(gram, width);
  const order = Array.from(values.keys())
    .toSorted((left, right) => values[right] - values[left])
    .slice(0, dimensions);
  const height = basis.length / width;
  const result = new Float32Array(height * dimensions);
  for (let row = 0; row < height; row++) {
    let square = 0;
    for (const [place, column] of order.entries()) {
      let sum = 0;
      for (let each = 0; each < width; each++) sum += basis[row * width + each] * vectors[each * width + column];
      const value = sum * Math.max(0, values[column]) ** 0.25;
      result[row * dimensions + place] = value;
      square += value * value;
    }
    const length = Math.sqrt(square) || 1;
    for (let place = 0; place < dimensions; place++) result[row * dimensions + place] /= length;
  }
  return result;
}

/** Jacobi's method for a symmetric matrix. */
function eigenOf(matrix, size) {
  const vectors = new Float64Array(size * size);
  for (let at = 0; at < size; at++) vectors[at * size + at] = 1;
  for (let sweep = 0; sweep < 12; sweep++) {
    for (let p = 0; p < size; p++) {
      for (let q = p + 1; q < size; q++) {
        const off = matrix[p * size + q];
        if (Math.abs(off) < 1e-12 * Math.sqrt(Math.abs(matrix[p * size + p] * matrix[q * size + q]))) continue;
        const theta = (matrix[q * size + q] - matrix[p * size + p]) / (2 * off);
        const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let each = 0; each < size; each++) rotate(matrix, each * size + p, each * size + q, c, s);
        for (let each = 0; each < size; each++) rotate(matrix, p * size + each, q * size + each, c, s);
        for (let each = 0; each < size; each++) rotate(vectors, each * size + p, each * size + q, c, s);
      }
    }
  }
  return { values: Float64Array.from({ length: size }, (_, at) => matrix[at * size + at]), vectors };
}

function rotate(matrix, left, right, c, s) {
  const a = matrix[left];
  const b = matrix[right];
  matrix[left] = c * a - s * b;
  matrix[right] = s * a + c * b;
}
