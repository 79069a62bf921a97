/* The posterior of the balanced accuracy of two to four classes, from their counts, with the
   prior and the interval that skpostbac has by default. The posterior of each recall is put
   on a lattice, and the lattices are convolved. Numbers agree with those of the package to
   1e-5 or better: tests/ecosystem/test_calculator.py compares them. */
"use strict";

const calculator = (() => {
  const LEVEL = 0.95;
  const LARGEST = 10000;
  /* Cells of the lattice across the widest of the posteriors. */
  const CELLS = 2 ** 15;
  /* Probability beyond the ends of the lattice. */
  const BEYOND = 1e-11;

  /* Stirling's series, from 8 on. */
  function logGamma(x) {
    let product = 1;
    while (x < 8) {
      product *= x;
      x += 1;
    }
    const z = 1 / (x * x);
    const series = 1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z / 1188)));
    return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series / x
      - Math.log(product);
  }

  /* The continued fraction of the incomplete beta function, by the method of Lentz. */
  function fraction(x, a, b) {
    let numerator = 1;
    let denominator = 1 / (1 - (a + b) * x / (a + 1));
    let value = denominator;
    for (let m = 1; m < 1000; m += 1) {
      const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
      const odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
      let change = 1;
      for (const step of [even, odd]) {
        denominator = 1 / (1 + step * denominator);
        numerator = 1 + step / numerator;
        change = numerator * denominator;
        value *= change;
      }
      if (Math.abs(change - 1) < 1e-15) break;
    }
    return value;
  }

  /* Of Beta(a, b): the probability below a point, and the part of the mean from there. */
  function integralsOf(a, b) {
    const scale = logGamma(a + b) - logGamma(a) - logGamma(b);
    const mean = a / (a + b);
    return (x) => {
      if (x <= 0 || x >= 1) return x <= 0 ? [0, 0] : [1, mean];
      const front = Math.exp(scale + a * Math.log(x) + b * Math.log1p(-x));
      const probability = x < (a + 1) / (a + b + 2)
        ? front * fraction(x, a, b) / a
        : 1 - front * fraction(1 - x, b, a) / b;
      return [probability, mean * (probability - front / a)];
    };
  }

  /* The point in [low, high] where a test turns from true to false. */
  function bisect(isBelow, low, high) {
    for (let i = 0; i < 60; i += 1) {
      const middle = (low + high) / 2;
      if (isBelow(middle)) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  }

  /* The Fourier transform in place; arrays of a power of two. */
  function transform(real, imaginary, sign) {
    const size = real.length;
    for (let i = 1, j = 0; i < size; i += 1) {
      let bit = size >> 1;
      for (; j & bit; bit >>= 1) j ^= bit;
      j ^= bit;
      if (i < j) {
        [real[i], real[j]] = [real[j], real[i]];
        [imaginary[i], imaginary[j]] = [imaginary[j], imaginary[i]];
      }
    }
    for (let half = 1; half < size; half *= 2) {
      for (let k = 0; k < half; k += 1) {
        const c = Math.cos(Math.PI * k / half);
        const s = sign * Math.sin(Math.PI * k / half);
        for (let i = k; i < size; i += 2 * half) {
          const j = i + half;
          const re = real[j] * c - imaginary[j] * s;
          const im = real[j] * s + imaginary[j] * c;
          real[j] = real[i] - re;
          imaginary[j] = imaginary[i] - im;
          real[i] += re;
          imaginary[i] += im;
        }
      }
    }
  }

  function convolve(lists) {
    const length = lists.reduce((sum, list) => sum + list.length - 1, 1);
    const size = 2 ** Math.ceil(Math.log2(length));
    const real = new Float64Array(size).fill(1);
    const imaginary = new Float64Array(size);
    for (const list of lists) {
      const re = new Float64Array(size);
      const im = new Float64Array(size);
      re.set(list);
      transform(re, im, 1);
      for (let i = 0; i < size; i += 1) {
        const product = real[i] * re[i] - imaginary[i] * im[i];
        imaginary[i] = real[i] * im[i] + imaginary[i] * re[i];
        real[i] = product;
      }
    }
    transform(real, imaginary, -1);
    return real.subarray(0, length).map((mass) => Math.max(mass / size, 0));
  }

  /* The default prior: Beta(1/l, 1/l), and 1.5 - 2/l observations of each class less. */
  function parameters(correct, total) {
    const prior = 1 / correct.length;
    const discount = 1.5 - 2 * prior;
    return correct.map((k, i) => {
      const n = total[i];
      const strength = 1 - Math.min(n, discount) / (n + 2 * prior);
      return [strength * (k + prior), strength * (n - k + prior)];
    });
  }

  /* The masses of Beta(a, b) at multiples of 1 / cells from `start` on. Between two points,
     mass goes to both, so that the mean stays. */
  function masses([a, b], cells, start, end) {
    const integrals = integralsOf(a, b);
    const mass = new Float64Array(end - start + 1);
    let [probability, moment] = integrals(start / cells);
    for (let j = start; j < end; j += 1) {
      const [nextProbability, nextMoment] = integrals((j + 1) / cells);
      const between = nextProbability - probability;
      const right = (nextMoment - moment) * cells - j * between;
      mass[j - start] += between - right;
      mass[j - start + 1] += right;
      [probability, moment] = [nextProbability, nextMoment];
    }
    return mass;
  }

  /* The distribution of the average: its cdf, quantiles, and density at a quantile. */
  function distribution(betas) {
    const ranges = betas.map(([a, b]) => {
      const integrals = integralsOf(a, b);
      return [BEYOND, 1 - BEYOND].map((p) => bisect((x) => integrals(x)[0] < p, 0, 1));
    });
    const widest = Math.max(...ranges.map(([low, high]) => high - low));
    const cells = 2 ** Math.ceil(Math.log2(CELLS / widest));
    const starts = ranges.map(([low]) => Math.floor(low * cells));
    const mass = convolve(betas.map((beta, i) => (
      masses(beta, cells, starts[i], Math.ceil(ranges[i][1] * cells))
    )));
    const below = new Float64Array(mass.length + 1);
    mass.forEach((value, j) => { below[j + 1] = below[j] + value; });
    const sum = below[mass.length];
    below.forEach((value, j) => { below[j] = value / sum; });

    /* Each mass is around its point. */
    const first = starts.reduce((total, start) => total + start) - 0.5;
    const position = (p) => {
      const j = Math.floor(bisect((k) => below[Math.floor(k)] <= p, 0, mass.length));
      const cell = Math.min(j, mass.length - 1);
      return cell + (p - below[cell]) / (below[cell + 1] - below[cell]);
    };
    return {
      quantile(p) {
        if (p <= 0 || p >= 1) return p <= 0 ? 0 : 1;
        return Math.min(Math.max((first + position(p)) / cells / betas.length, 0), 1);
      },
      density(p) {
        const centre = Math.min(Math.max(position(p) - 0.5, 0), mass.length - 1);
        const j = Math.min(Math.floor(centre), mass.length - 2);
        return mass[j] + (centre - j) * (mass[j + 1] - mass[j]);
      },
      cdf(x) {
        if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
        const at = x * cells * betas.length - first;
        if (at <= 0 || at >= mass.length) return at <= 0 ? 0 : 1;
        const j = Math.floor(at);
        return below[j] + (at - j) * (below[j + 1] - below[j]);
      },
    };
  }

  /* The shortest interval has equal densities at both ends, or ends where the range does. */
  function shortest({ quantile, density }) {
    const STEPS = 400;
    const tail = 1 - LEVEL;
    const width = (p) => quantile(p + LEVEL) - quantile(p);
    let best = 0;
    for (let i = 1; i <= STEPS; i += 1) {
      if (width(tail * i / STEPS) < width(tail * best / STEPS)) best = i;
    }
    const left = tail * Math.max(best - 1, 0) / STEPS;
    const right = tail * Math.min(best + 1, STEPS) / STEPS;
    const p = bisect((q) => density(q) < density(q + LEVEL), left, right);
    if (p > tail * (1 - 1e-9)) return [quantile(tail), 1];
    return [p < tail * 1e-9 ? 0 : quantile(p), quantile(p + LEVEL)];
  }

  /* The average of a / (a + b), rounded once: halfway between two numbers that are shown, the
     last bit decides. */
  function average(pairs) {
    let numerator = 0n;
    let denominator = 1n;
    for (const pair of pairs) {
      const [a, b] = pair.map((x) => BigInt(x * 2 ** 60));
      numerator = numerator * (a + b) + a * denominator;
      denominator *= a + b;
    }
    const scaled = (numerator << 80n) / (denominator * BigInt(pairs.length));
    return Number(scaled) / 2 ** 80;
  }

  /* Round as Python does: a number halfway goes to the even digit. */
  function format(value, decimals) {
    const isHalfway = (value * 2 ** (decimals + 1)) % 2 === 1;
    const even = 2 * Math.round(value * 10 ** decimals / 2) / 10 ** decimals;
    return (isHalfway ? even : value).toFixed(decimals);
  }

  function formatProbability(value) {
    if (value < 0.0005) return "< 0.001";
    return value > 0.9995 ? "> 0.999" : format(value, 3);
  }

  /* A sentence on counts that a constant prediction gives, or nothing. */
  function constantNote(correct, total) {
    const found = correct.flatMap((k, i) => (k > 0 ? [i] : []));
    const isConstant = found.length === 1 && correct[found[0]] === total[found[0]];
    return isConstant ? ` Always predicting ${found[0]} gives these counts.` : "";
  }

  /* The mean, the interval, the observed score and the sentence of the report. */
  function evaluate(correct, total) {
    const n = correct.length;
    const observed = correct.reduce((sum, k, i) => sum + k / total[i] / n, 0);

    const betas = parameters(correct, total);
    const mean = average(betas);
    const posterior = distribution(betas);
    const [start, end] = shortest(posterior);
    const low = Math.min(start, posterior.quantile((1 - LEVEL) / 2));
    const high = Math.max(end, posterior.quantile((1 + LEVEL) / 2));

    const decimals = Math.max(3, Math.ceil(-Math.log10(high - low)) + 1);
    const [middle, lower, upper] = [mean, low, high].map((value) => format(value, decimals));
    const estimate = `${middle} (95% credible interval ${lower} to ${upper})`;
    const score = format(observed, 3);
    const samples = `${total.reduce((sum, m) => sum + m)} test samples of ${n} classes`;
    const text = low < observed && observed < high
      ? `${estimate}; ${score} on the ${samples}`
      : `${score} on the ${samples}; for new samples expect ${estimate}`;
    return {
      mean, low, high, observed,
      probAbove: (value) => 1 - posterior.cdf(value),
      sentence: `The balanced accuracy is ${text}.${constantNote(correct, total)}`,
    };
  }

  /* Counts of the rows that are filled in; throws what is wrong with them. */
  function readCounts(rows) {
    const filled = rows.filter(({ correct, total }) => correct !== "" || total !== "");
    if (filled.length < 2) throw new RangeError("Fill in at least two classes.");
    const counts = filled.map(({ name, correct, total }) => {
      const [k, m] = [correct, total].map(Number);
      const isValid = [correct, total].every((text) => /^\d+$/.test(text));
      if (!isValid || m < 1 || m > LARGEST) {
        throw new RangeError(`${name}: both must be whole numbers, with 1 to 10,000 samples.`);
      }
      if (k > m) throw new RangeError(`${name}: ${k} correct of ${m} is not possible.`);
      return [k, m];
    });
    return [counts.map(([k]) => k), counts.map(([, m]) => m)];
  }

  return { evaluate, formatProbability, readCounts };
})();

if (typeof document !== "undefined") {
  const form = document.getElementById("calculator-form");
  const byName = (name) => form.elements[name];

  const show = () => {
    const rows = [...form.querySelectorAll("tbody tr")].map((row, i) => ({
      name: `Class ${i}`,
      correct: byName(`correct-${i}`).value.trim(),
      total: byName(`total-${i}`).value.trim(),
    }));
    const value = Number(byName("value").value);
    const lines = [];
    try {
      const [correct, total] = calculator.readCounts(rows);
      const result = calculator.evaluate(correct, total);
      const probability = calculator.formatProbability(result.probAbove(value));
      lines.push(result.sentence, `The probability of more than ${value} is ${probability}.`);
    } catch (error) {
      lines.push(error.message);
    }
    form.querySelector("output").replaceChildren(...lines.map((line) => {
      const paragraph = document.createElement("p");
      paragraph.textContent = line;
      return paragraph;
    }));
  };

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show();
  });
  show();
}

if (typeof module !== "undefined") module.exports = calculator;
