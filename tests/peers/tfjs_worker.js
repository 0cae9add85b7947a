// TensorFlow.js on the work that the page's own worker does, in a worker of the same browser.
//
// A two-layer ReLU network of width 100 with both biases learns (50,3)-sparse parity from a fresh batch of
// 32 at every step, with the hinge loss and plain SGD at rate 0.1. The page asks once, `{ backend, seconds }`,
// and hears once, `{ rate, loss }` or `{ reason }`.
//
// The peer is meant to be fast: its modern build, its fused product with bias and ReLU where that pays (the
// output, one column wide, is faster without), and one number read back per twenty steps, which is also what
// makes a GPU's steps finish within the window.

importScripts(
  "tfjs/dist/tf.es2017.min.js",
  "tfjs-backend-wasm/dist/tf-backend-wasm.es2017.min.js",
  "tfjs-backend-webgpu/dist/tf-backend-webgpu.es2017.min.js",
);

const [N, K, WIDTH, BATCH, RATE] = [50, 3, 100, 32, 0.1];
const WARM_UP_MS = 1500;
const STEPS_BETWEEN_READINGS = 20;

/** A fresh batch: thirty-two signs from every word of xorshift32, the label being the product of the first K. */
function sampler(word) {
  const x = new Float32Array(BATCH * N);
  const y = new Float32Array(BATCH);
  return () => {
    y.fill(1);
    for (let i = 0; i < N; i++) {
      word ^= word << 13;
      word ^= word >>> 17;
      word ^= word << 5;
      for (let e = 0; e < BATCH; e++) {
        const sign = ((word >>> e) & 1) * 2 - 1;
        x[e * N + i] = sign;
        if (i < K) y[e] *= sign;
      }
    }
    return [tf.tensor2d(x, [BATCH, N]), tf.tensor2d(y, [BATCH, 1])];
  };
}

function learner() {
  const uniform = (shape, fanIn) => tf.variable(tf.randomUniform(shape, -(fanIn ** -0.5), fanIn ** -0.5));
  const [w, b, u, beta] = [uniform([N, WIDTH], N), uniform([WIDTH], N), uniform([WIDTH, 1], WIDTH), uniform([1], WIDTH)];
  const one = tf.scalar(1);
  const sgd = tf.train.sgd(RATE);
  const sample = sampler(0x9e3779b9);
  return () =>
    tf.tidy(() => {
      const [x, y] = sample();
      return sgd.minimize(() => {
        const hidden = tf.fused.matMul({ a: x, b: w, bias: b, activation: "relu" });
        const outputs = hidden.matMul(u).add(beta);
        return one.sub(y.mul(outputs)).relu().mean();
      }, true);
    });
}

/** Steps for about so long; gives steps per second and the last loss. */
async function steps(step, ms) {
  const begin = performance.now();
  let count = 0;
  for (;;) {
    for (let i = 1; i < STEPS_BETWEEN_READINGS; i++) step().dispose();
    const cost = step();
    const [loss] = await cost.data();
    cost.dispose();
    count += STEPS_BETWEEN_READINGS;
    const took = performance.now() - begin;
    if (took >= ms) return { rate: (count / took) * 1000, loss };
  }
}

self.onmessage = async ({ data: { backend, seconds } }) => {
  try {
    tf.wasm.setWasmPaths(new URL("tfjs-backend-wasm/dist/", self.location.href).href);
    if (!(await tf.setBackend(backend))) throw new Error(`TensorFlow.js has no ${backend} backend here`);
    await tf.ready();
    const step = learner();
    await steps(step, WARM_UP_MS);
    const before = tf.memory().numTensors;
    const found = await steps(step, seconds * 1000);
    if (tf.memory().numTensors !== before) throw new Error("tensors leak");
    if (!Number.isFinite(found.loss)) throw new Error(`the loss is ${found.loss}`);
    postMessage(found);
  } catch (error) {
    postMessage({ reason: String(error?.message ?? error).split("\n")[0] });
  }
};
