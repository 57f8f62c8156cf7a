local M = {}
local limit = 3
function M.create(a, b) end
function M:area(x) return 1 end
local function helper(...) end
M.run = function(x) end
local cb = function() end
function top() end
local first, second = 1, 2
local third, fourth
return { stop = function() end }
