function love.conf(t) t.window.width, t.window.height, t.modules.audio, t.modules.sound = 320, 240, false, false end
