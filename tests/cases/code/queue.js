function makeQueue(worker, concurrency) {
  var running = 0, waiting = [], paused = false;
  function next(task) {
    running -= 1;
    if (task.callback) { task.callback.apply(task, Array.prototype.slice.call(arguments, 1)); }
    queue.process();
  }
  var queue = {
    push: function (data, callback) {
      waiting.push({ data: data, callback: callback, since: Date.now() });
      setTimeout(queue.process, 0);
    },
    process: function () {
      while (!paused && running < concurrency && waiting.length) {
        var task = waiting.shift();
        running += 1;
        worker(task.data, next.bind(null, task));
      }
    },
    resume: function () { paused = false; for (var i = 0; i < concurrency; i++) { queue.process(); } },
    length: function () { return waiting.length; },
  };
  return queue;
}
